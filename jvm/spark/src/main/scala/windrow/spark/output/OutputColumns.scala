package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow._

/** What columns are made of. */
private[spark] object OutputColumns {

  /** Under which the counts of a stream are observed. */
  def metrics(stream: String): String = s"windrow_$stream"

  /** Under which the messages are observed that come to a stream. */
  def metricsOfRead(stream: String): String = s"${metrics(stream)}/read"

  /** Under which one of several streams is observed. */
  def metricsOfInput(stream: String, input: String): String = s"${metrics(stream)}/$input/watermark"

  def structOf(fields: (String, Expression)*): Expression =
    CreateNamedStruct(fields.flatMap { case (name, value) => Seq(Literal(name), value) })

  def instant(micros: Expression, timeType: DataType): Expression =
    PreciseTimestampConversion(micros, LongType, timeType)

  /** The window as users see it: `end` is exclusive, `last` inclusive. */
  def windowOf(kind: WindowKind, timeType: DataType, from: Expression, to: Expression): Expression = {
    def bound(value: Expression) = kind.bounds match {
      case HalfOpen | Closed => instant(value, timeType)
      case Positions         => value
      case Unbounded         => Literal.create(null, timeType)
    }
    val (first, second) = kind.bounds.names
    structOf(first -> bound(from), second -> bound(to))
  }

  /** @param processingTime
    *   in microseconds, as the watermark
    */
  def rejected(
      stream: Expression,
      reason: Expression,
      watermark: Expression,
      processingTime: Expression,
      message: Expression): Seq[Alias] = Seq(
    "stream"          -> stream,
    "reason"          -> KnownNotNull(reason),
    "watermark"       -> instant(watermark, TimestampType),
    "processing_time" -> instant(KnownNotNull(processingTime), TimestampType),
    "message"         -> message).map { case (name, value) => Alias(value, name)() }
}
