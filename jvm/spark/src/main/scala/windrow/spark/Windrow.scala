package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.windrow.SparkInside
import scala.language.implicitConversions
import windrow._
import windrow.spark.pack.PackStrategy
import windrow.spark.plan._

/** The Scala entry:
  * {{{
  * val out = Windrow.stream(orders, time = "time", key = Seq("product"), watermark = "1 minute")
  *   .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(avg("price"))
  * out.panes // a DataFrame
  * }}}
  */
object Windrow {

  /** Describes a streaming or batch DataFrame; nothing runs.
    *
    * @param time
    *   event time: a name, or an expression of timestamp type
    * @param key
    *   names or expressions; none: all messages have one key
    * @param offset
    *   identity of a message, by which a replay is known
    * @param watermark
    *   greatest event time less this; None if the DataFrame has a watermark already
    * @param maxFuture
    *   messages further ahead of processing time are rejected and do not move the watermark
    * @param name
    *   of the stream, in rejected rows and in metrics
    */
  def stream(
      df: DataFrame,
      time: Field,
      key: Seq[Field] = Nil,
      offset: Option[Offset] = None,
      watermark: Option[TimeSpan] = None,
      maxFuture: Option[TimeSpan] = None,
      name: String = "messages"): Stream =
    Stream(df, time, key, offset, watermark, maxFuture, name, None)
}

/** A column: its name, or an expression. */
final case class Field(column: Column)

object Field {
  implicit def ofName(name: String): Field     = Field(col(name))
  implicit def ofColumn(column: Column): Field = Field(column)
}

/** Where the identity of a message stands. */
final case class Offset(source: Field, partition: Field, offset: Field)

object Offset {
  val kafka: Offset = Offset("topic", "partition", "offset")
}

/** A described input; see [[Windrow.stream]]. */
final case class Stream private[spark] (
    df: DataFrame,
    time: Field,
    key: Seq[Field],
    offset: Option[Offset],
    watermark: Option[TimeSpan],
    maxFuture: Option[TimeSpan],
    name: String,
    allowed: Option[TimeSpan]) {

  /** How long after its end a window takes messages still. */
  def lateness(allowed: TimeSpan): Stream = copy(allowed = Some(allowed))

  /** @param gap
    *   for `Session.OfMessage`: an interval, or whole microseconds
    */
  def window(kind: WindowKind, gap: Option[Field] = None): Windowed =
    Windowed(this, WindowOperatorDraft(kind, lateness = allowed, maxFuture = maxFuture), gap)
}

/** A stream in windows. */
final case class Windowed private[spark] (stream: Stream, draft: WindowOperatorDraft, gap: Option[Field]) {

  def lateness(allowed: TimeSpan): Windowed        = copy(draft = draft.copy(lateness = Some(allowed)))
  def trigger(late: PaneTrigger): Windowed         = copy(draft = draft.copy(late = late))
  def accumulate(mode: AccumulationMode): Windowed = copy(draft = draft.copy(accumulation = Some(mode)))

  /** Spark's own aggregates, and expressions of them.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def aggregate(column: Column, more: Column*): Output = {
    def marker(name: String, field: Field) = first(field.column).as(s"__windrow_$name")
    val markers = Seq(marker("time", stream.time)) ++ gap.map(marker("gap", _)) ++ stream.offset.toSeq.flatMap(from =>
      Seq(marker("source", from.source), marker("partition", from.partition), marker("offset", from.offset)))
    val described = stream.df.groupBy(stream.key.map(_.column): _*).agg(column, more ++ markers: _*)
    val output    = new Output(this, described)
    output.panes // so that mistakes show where they are made
    output
  }
}

/** What comes out. Each DataFrame written alone is a query with a state of its own; `output` holds both in one. */
final class Output private[spark] (windowed: Windowed, described: DataFrame) {

  /** key columns, `window`, aggregates, `pane` */
  def panes: DataFrame = part(PanesOutput)

  /** `stream`, `reason`, `watermark`, `processing_time`, `message` */
  def rejected: DataFrame = part(RejectedOutput)

  /** `kind`, and `panes` or `rejected` as a struct */
  def output: DataFrame = part(AllOutput)

  private def part(kind: OutputKind): DataFrame = {
    val session = described.sparkSession
    SparkInside.addStrategy(session, PackStrategy(session))
    val options = windowed.draft.check.map(
      QueryOptions(_, None, None, windowed.stream.watermark, windowed.stream.name, kind))
    SparkInside.frame(
      session,
      WindowQuery.plan(session, windowed.draft.window.toString, options, SparkInside.plan(described)))
  }
}
