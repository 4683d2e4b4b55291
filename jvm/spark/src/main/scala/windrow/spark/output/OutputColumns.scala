package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow._

/** Builds the columns of outputs. */
private[spark] object OutputColumns {

  /** The prefix of the names of all observed metrics. */
  val Prefix = "windrow_"

  /** The name of the column with the name of one of several windows. */
  val WindowName = "window_name"

  /** Returns the name of the metrics of an operator. Slashes separate the parts of such a name, so slashes in the
    * operator's name are escaped.
    */
  def metrics(stream: String): String = s"$Prefix${escaped(stream)}"

  /** Returns the operator of metrics. */
  def operator(metrics: String): String =
    unescaped(metrics.stripPrefix(Prefix).takeWhile(_ != '/'))

  /** Returns the input of metrics, if they are those of one of several inputs. */
  def input(metrics: String): Option[String] = metrics.split("/", -1) match {
    case Array(_, input, _) => Some(unescaped(input))
    case _                  => None
  }

  private def escaped(name: String) = name.replace("%", "%25").replace("/", "%2F")

  private def unescaped(name: String) = name.replace("%2F", "/").replace("%25", "%")

  /** Returns the name of the metrics that count the input rows of an operator, or of one of its inputs. */
  def metricsOfRead(stream: String, input: Option[String] = None): String =
    (metrics(stream) +: input.map(escaped).toSeq :+ "read").mkString("/")

  /** Returns the name of the metrics of one of several streams. */
  def metricsOfInput(stream: String, input: String): String = s"${metrics(stream)}/${escaped(input)}/watermark"

  def structOf(fields: (String, Expression)*): Expression =
    CreateNamedStruct(fields.flatMap { case (name, value) => Seq(Literal(name), value) })

  def instant(micros: Expression, timeType: DataType): Expression =
    PreciseTimestampConversion(micros, LongType, timeType)

  /** Builds the window column. `end` is exclusive, `last` inclusive. */
  def windowOf(kind: WindowKind, timeType: DataType, from: Expression, to: Expression): Expression = {
    def bound(value: Expression) = kind.bounds match {
      case HalfOpen | Closed => instant(value, timeType)
      case Positions         => value
      case Unbounded         => Literal.create(null, timeType)
    }
    val (first, second) = kind.bounds.names
    structOf(first -> bound(from), second -> bound(to))
  }

  /** Builds the columns of rejected rows.
    *
    * @param processingTime
    *   in microseconds, like the watermark
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
