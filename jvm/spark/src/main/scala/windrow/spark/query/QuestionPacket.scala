package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types._
import windrow.core.state.{ByteReader, ByteWriter, Key}
import windrow.spark.pack.ShardHash
import windrow.spark.packet.PacketFlag
import windrow.spark.rows.Rows

/** The format of a packet with the question of a lookup. */
private[spark] object QuestionPacket {
  private val HasStart = 1
  private val HasEnd   = 2
  private val HasBy    = 4

  def is(packet: Array[Byte]): Boolean = (packet(0) & PacketFlag.Question) != 0

  /** Reads the question and the lookup. */
  def read(packet: Array[Byte]): (Question, Array[Byte]) = {
    val in = ByteReader(packet)
    in.byte()
    val has              = in.byte().toInt
    def bound(flag: Int) = Option.when((has & flag) != 0)(in.long())
    val question = Question(
      Some(new Key(in.bytes())),
      bound(HasStart),
      bound(HasEnd),
      Option.when((has & HasBy) != 0)(in.bytes()))
    (question, in.bytes())
  }

  private[query] def write(key: UnsafeRow, range: InternalRow, by: UnsafeRow, row: UnsafeRow): Array[Byte] = {
    val out = new ByteWriter
    out.byte(PacketFlag.Question)
    out.byte(
      (if (range.isNullAt(0)) 0 else HasStart) | (if (range.isNullAt(1)) 0 else HasEnd) |
        (if (by.numFields == 0) 0 else HasBy))
    Rows.write(key, out)
    Seq(0, 1).filterNot(range.isNullAt).foreach(i => out.long(range.getLong(i)))
    if (by.numFields > 0) Rows.write(by, out)
    Rows.write(row, out)
    out.result()
  }
}

/** Converts a row to a packet with a question.
  *
  * @param key
  *   struct of the key columns
  * @param range
  *   struct of two longs, null if it is unbounded
  * @param by
  *   struct of the index values
  * @param row
  *   struct of the columns of the lookup stream
  */
private[query] final case class QuestionExpression(key: Expression, range: Expression, by: Expression, row: Expression)
    extends QuaternaryExpression
    with CodegenFallback {
  @transient private lazy val keyOf = QuestionExpression.rowOf(key)
  @transient private lazy val byOf  = QuestionExpression.rowOf(by)
  @transient private lazy val rowOf = QuestionExpression.rowOf(row)

  override def dataType: DataType = BinaryType
  override def nullable: Boolean  = false
  override def first: Expression  = key
  override def second: Expression = range
  override def third: Expression  = by
  override def fourth: Expression = row

  override def eval(input: InternalRow): Any =
    QuestionPacket.write(keyOf(input), range.eval(input).asInstanceOf[InternalRow], byOf(input), rowOf(input))

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression,
      newFourth: Expression): Expression = copy(newFirst, newSecond, newThird, newFourth)
}

private[query] object QuestionExpression {

  /** Returns a function that writes a struct. */
  def rowOf(struct: Expression): InternalRow => UnsafeRow = {
    val write = UnsafeProjection.create(struct.dataType.asInstanceOf[StructType])
    input => write(struct.eval(input).asInstanceOf[InternalRow])
  }
}

/** Computes the shard of a key, which is a struct of its columns. */
private[query] final case class ShardExpression(child: Expression, shards: Int) extends UnaryExpression
    with CodegenFallback {
  @transient private lazy val key = QuestionExpression.rowOf(child)

  override def dataType: DataType                                               = IntegerType
  override def nullable: Boolean                                                = false
  override def eval(input: InternalRow): Any                                    = ShardHash(key(input), shards)
  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}
