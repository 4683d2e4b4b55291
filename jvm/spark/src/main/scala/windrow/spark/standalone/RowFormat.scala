package windrow.spark.standalone

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.operator.{Origin, SessionMark}
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.operators.MessageFormat
import windrow.spark.pack.MarkReader
import windrow.spark.rows.{RowShape, Rows, SourceName}

/** A row of one of an operator's streams.
  *
  * @param stream
  *   the position of the stream
  */
final case class Message(stream: Int, row: UnsafeRow)

/** Lets the core use rows as messages. Their bytes are not changed. */
final class RowFormat(inputs: IndexedSeq[Input]) extends MessageFormat[UnsafeRow, Message] {
  private val fields   = inputs.map(new MessageFields(_))
  private val keyShape = new RowShape(inputs.head.key.map(_._2.dataType))
  private val shapes   = inputs.map(input => new RowShape(input.schema.map(_.dataType)))

  def key(message: Message): UnsafeRow                     = fields(message.stream).key(message.row)
  def time(message: Message): Option[Long]                 = fields(message.stream).time(message.row)
  override def value(message: Message): Option[Long]       = fields(message.stream).value(message.row)
  override def origin(message: Message): Option[Origin]    = fields(message.stream).origin(message.row)
  override def mark(message: Message): Option[SessionMark] = fields(message.stream).mark(message.row)
  override def hasNull(key: UnsafeRow): Boolean            = key.anyNull

  val keys: Codec[UnsafeRow] = new Codec[UnsafeRow] {
    def write(key: UnsafeRow, out: ByteWriter): Unit = Rows.write(key, out)
    def read(in: ByteReader): UnsafeRow              = keyShape.read(in)
  }

  val messages: Codec[Message] = new Codec[Message] {
    def write(message: Message, out: ByteWriter): Unit = {
      out.count(message.stream.toLong)
      Rows.write(message.row, out)
    }
    def read(in: ByteReader): Message = {
      val stream = in.count()
      if (stream < 0 || stream >= shapes.size) throw in.damaged(s"stream $stream does not exist")
      Message(stream.toInt, shapes(stream.toInt).read(in))
    }
  }
}

/** Reads the fields of a row that the core needs. A row is evaluated once, even if several fields are read. */
private final class MessageFields(input: Input) {
  private val project    = UnsafeProjection.create(input.time +: (input.value.toSeq ++ input.origin), input.attributes)
  private val projectKey = UnsafeProjection.create(input.key.map(_._2), input.attributes)
  private val originAt   = 1 + input.value.size
  private var seen       = Option.empty[UnsafeRow]
  private var values     = new UnsafeRow(0)

  private def of(row: UnsafeRow): UnsafeRow = {
    if (!seen.exists(_ eq row)) {
      values = project(row)
      seen = Some(row)
    }
    values
  }

  def key(row: UnsafeRow): UnsafeRow = projectKey(row)

  def time(row: UnsafeRow): Option[Long] = long(row, 0)

  /** Returns the value for the windows of a row; a missing one is 0. */
  def value(row: UnsafeRow): Option[Long] = Option.when(input.value.isDefined)(long(row, 1).getOrElse(0L))

  private val marks = Option.when(input.marks.nonEmpty)(
    new MarkReader(input.marks.map(SparkInside.normalized), input.attributes))

  /** Returns the mark of a row. A row without a time is rejected, so none of its values is evaluated. */
  def mark(row: UnsafeRow): Option[SessionMark] = marks.filter(_ => time(row).isDefined).map(_(row))

  def origin(row: UnsafeRow): Option[Origin] = if (input.origin.isEmpty) None
  else for (partition <- long(row, originAt + 1); offset <- long(row, originAt + 2))
    yield Origin(
      if (of(row).isNullAt(originAt)) "" else SourceName.of(of(row).getUTF8String(originAt)),
      partition,
      offset)

  private def long(row: UnsafeRow, at: Int): Option[Long] = Option.unless(of(row).isNullAt(at))(of(row).getLong(at))
}
