package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.types._
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.{SpecError, SpecProblem, TimeSpan}

/** An aggregate over the values of a window in the order of their times (SEMANTICS R111). Rows without a value or a time
  * are ignored. All values and times of a window are stored, because a late row can be between any two of them.
  */
private[spark] abstract class OverTime[B] extends TypedImperativeAggregate[B] with BinaryLike[Expression] {
  def value: Expression
  def time: Expression

  /** How long after its row a value is carried into later windows; None if it is not (SEMANTICS R123). */
  def carry: Option[TimeSpan]

  /** The result, if the window has ended at a time or the end is not known. */
  def evalUntil(buffer: B, end: Option[Long]): Any

  /** The last value as a buffer of its own, or None if there is none. */
  def lastOf(buffer: B): Option[B]

  /** A buffer that begins with the value of another one, or None if that is too old. */
  def carriedTo(start: Long, last: B): Option[B]

  protected def isNear(time: Long, start: Long): Boolean =
    carry.exists(limit => limit == TimeSpan.Endless || start - time <= limit.micros)

  protected def add(buffer: B, time: Long, value: Any): Unit

  /** The types of values that the aggregate accepts, in words, or None if the value has one. */
  protected def requiredType: Option[String]

  protected def writeTo(buffer: B, out: ByteWriter): Unit
  protected def readFrom(in: ByteReader): B

  override def left: Expression  = value
  override def right: Expression = time

  override def update(buffer: B, input: InternalRow): B = {
    val at = time.eval(input)
    if (at != null) {
      val held = value.eval(input)
      if (held != null) add(buffer, at.asInstanceOf[Long], held)
    }
    buffer
  }

  override def eval(buffer: B): Any = evalUntil(buffer, None)

  /** Returns the result of a row of buffers. */
  private[functions] def resultOf(buffers: InternalRow, at: Int, end: Option[Long]): Any =
    evalUntil(buffers.get(at, ObjectType(classOf[AnyRef])).asInstanceOf[B], end)

  override def serialize(buffer: B): Array[Byte] = {
    val out = new ByteWriter
    writeTo(buffer, out)
    out.result()
  }

  override def deserialize(bytes: Array[Byte]): B = ByteReader(bytes).decode(readFrom)

  override def checkInputDataTypes(): TypeCheckResult = {
    val ofTime = time.dataType match {
      case TimestampType | TimestampNTZType => None
      case _                                => Some(mismatch("second", "\"TIMESTAMP\"", time))
    }
    requiredType.map(mismatch("first", _, value)).orElse(ofTime).getOrElse(TypeCheckSuccess)
  }

  private def mismatch(index: String, required: String, input: Expression) = DataTypeMismatch(
    "UNEXPECTED_INPUT_TYPE",
    Map(
      "paramIndex"   -> index,
      "requiredType" -> required,
      "inputSql"     -> s"\"${input.sql}\"",
      "inputType"    -> s"\"${input.dataType.sql}\""))

  override def sql: String                      = text(_.sql)
  override def sql(isDistinct: Boolean): String = sql
  override def toString: String                 = text(_.toString)
  private def text(of: Expression => String): String =
    s"$prettyName(${((value +: Seq(time).filter(_ != StreamTime)).map(of) ++ carryText).mkString(", ")})"

  private def carryText: Option[String] = carry.map(limit => if (limit == TimeSpan.Endless) "true" else s"'$limit'")
}

/** Stands for the event time of the stream in an aggregate that does not state a time. */
private[spark] case object StreamTime extends LeafExpression {
  def dataType: DataType         = TimestampType
  def nullable: Boolean          = true
  override def foldable: Boolean = false
  override def sql: String       = "event time"
  override def toString: String  = sql

  override def eval(input: InternalRow): Any = fail()

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = fail()

  private def fail(): Nothing = throw SpecError("the aggregate", Seq(missing))

  /** The problem of a call without a time where there is no event time. */
  val missing: SpecProblem = SpecProblem("OVER_TIME.TIME")

  /** Returns an event time as a timestamp, or None if it is of another kind. */
  def asTimestamp(time: Expression): Option[Expression] = time.dataType match {
    case TimestampType               => Some(time)
    case TimestampNTZType | LongType => Some(PreciseTimestampConversion(time, time.dataType, TimestampType))
    case _                           => None
  }
}
