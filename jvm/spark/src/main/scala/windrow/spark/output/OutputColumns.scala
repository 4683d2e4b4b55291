package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow._

/** What columns are made of. */
private[spark] object OutputColumns {

  /** What the names of all observed metrics begin with. */
  val Prefix = "windrow_"

  /** Under which the counts of an operator are observed. A slash separates the parts of such a name, so those in the name of
    * the operator are escaped.
    */
  def metrics(stream: String): String = s"$Prefix${escaped(stream)}"

  /** The operator whose counts are observed under a name. */
  def operator(metrics: String): String =
    metrics.stripPrefix(Prefix).takeWhile(_ != '/').replace("%2F", "/").replace("%25", "%")

  private def escaped(name: String) = name.replace("%", "%25").replace("/", "%2F")

  /** Under which the messages are observed that come to an operator, or to one of its inputs. */
  def metricsOfRead(stream: String, input: Option[String] = None): String =
    (metrics(stream) +: input.map(escaped).toSeq :+ "read").mkString("/")

  /** Under which one of several streams is observed. */
  def metricsOfInput(stream: String, input: String): String = s"${metrics(stream)}/${escaped(input)}/watermark"

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
