package windrow.spark

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.fullstate.FullState
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.AggregateParts
import windrow.spark.input.Marks
import windrow.spark.output.OutputKind
import windrow.spark.policy.Policies
import windrow.spark.stream.StreamOperator
import windrow.spark.stream.StreamOptions

/** A described input; see [[Windrow.stream]]. */
final case class Stream private[spark] (
    df: DataFrame,
    time: Option[Field],
    key: Seq[Field],
    rowId: Option[RowId],
    watermark: Option[TimeSpan],
    maxFuture: Option[TimeSpan],
    name: String,
    allowed: Option[TimeSpan],
    retention: Retention = Retention.NotStated,
    indexed: Seq[String] = Nil,
    behind: Option[TimeSpan] = None,
    invalid: InvalidMessages = InvalidMessages.Reject) {

  /** The watermark is the processing time less a delay, whatever comes or does not come, instead of the greatest event time
    * less one.
    */
  def processingTimeWatermark(delay: TimeSpan): Stream = copy(behind = Some(delay))

  /** How long after its end a window takes messages still; [[TimeSpan.Endless]]: without end. */
  def lateness(allowed: TimeSpan): Stream = copy(allowed = Some(allowed))

  /** How much of the past is kept; of several limits whichever bites first.
    *
    * @param time
    *   so long behind the watermark
    * @param messages
    *   the newest so many of each key
    * @param windows
    *   the newest so many of each key
    */
  def retain(time: Option[TimeSpan] = None, messages: Option[Long] = None, windows: Option[Long] = None): Stream =
    copy(retention = Retention(time, messages, windows))

  /** Sets the columns by which `getMessages(by = …)` finds rows; by default the key. For `keepRows()`. */
  def index(by: Seq[String]): Stream = copy(indexed = by)

  /** @param gap
    *   for `Session.OfMessage`: an interval, or whole microseconds
    * @param closeOn
    *   what closes a window
    * @param fillGaps
    *   also windows without messages fire, in tumbling, hopping and calendar windows: so long after a key's last window
    *   with messages (`"30 days"`), or [[TimeSpan.Endless]]
    */
  def window(
      kind: WindowKind,
      gap: Option[Field] = None,
      closeOn: CloseOn = CloseOn.Watermark,
      fillGaps: TimeSpan = TimeSpan.Zero): Windowed = {
    val draft = WindowOperatorDraft(
      kind,
      lateness = allowed,
      closeOn = closeOn,
      fillGaps = fillGaps,
      retention = retention,
      maxFuture = maxFuture)
    Windowed(this, draft, gap)
  }

  /** A window for each key, by policies: they go by messages and processing time, never by event time, so the stream needs
    * no time and no watermark.
    *
    * @param limits
    *   when the windows of whole keys leave; of numbers of all keys or messages: all keys are in one shard then
    */
  def policy(eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated): PolicyWindowed = {
    val spec = PolicyWindowSpec.check(eviction, limits)
    PolicyWindowed(this, if (ofEventTime.isEmpty) spec else Left(ofEventTime ++ spec.left.getOrElse(Nil)))
  }

  /** What is said that means nothing for policies. */
  private def ofEventTime: Seq[SpecProblem] = {
    val kept = Seq("time" -> retention.time, "messages" -> retention.messages, "windows" -> retention.windows)
    (Seq("lateness" -> allowed, "maxFuture" -> maxFuture) ++ kept.map { case (name, of) => s"retain($name)" -> of })
      .collect { case (field, Some(value)) =>
        SpecProblem("VALUE_NOT_SUPPORTED.POLICY", "name" -> field, "value" -> value)
      }
  }

  /** But for which output is wanted. */
  private[spark] def options: StreamOptions =
    StreamOptions(None, None, Map.empty, watermark, behind, name, OutputKind.All, indexed, invalid)

  private[spark] def inWords: String = {
    def shown(fields: Seq[Field]) = fields.map(_.column).mkString(", ")
    s"stream '$name'" + time.fold("")(time => s", time ${shown(Seq(time))}") +
      (if (key.isEmpty) ", without a key" else s", by ${shown(key)}")
  }

  /** The output of an operator over a table that describes it. */
  private[spark] def output(
      window: String,
      operator: Either[Seq[SpecProblem], StreamOperator],
      described: DataFrame,
      parts: (Seq[SpecProblem], Option[AggregateParts])): Output = {
    val made =
      new Output(options, inWords, rowId.isDefined, window, operator, parts, described.sparkSession)
    made.panes // so that mistakes show where they are made
    made
  }

  /** An aggregation that says keys, aggregates and fields of messages; it is never run. */
  private[spark] def grouped(aggregates: Seq[Column], gap: Option[Field]): DataFrame = {
    def marker(name: String, field: Field) = Marks.marked(first(field.column), name)
    val markers = time.map(marker("time", _)) ++ gap.map(marker("gap", _)) ++ rowId.toSeq.flatMap(from =>
      Seq(marker("source", from.source), marker("partition", from.partition), marker("offset", from.offset)))
    val all = aggregates ++ markers
    try df.groupBy(key.map(_.column): _*).agg(all.head, all.tail: _*)
    catch {
      case refused: AnalysisException => throw SpecError(
          s"stream '$name'",
          Seq(SpecProblem("QUERY_REFUSED", "said" -> refused.getSimpleMessage)))
    }
  }
}

/** A stream in windows by policies. */
final case class PolicyWindowed private[spark] (stream: Stream, spec: Either[Seq[SpecProblem], PolicyWindowSpec]) {

  /** Spark's own aggregates, and expressions of them.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap = None)
    stream.output("Policy", spec.map(Policies(_)), described, AggregateParts.ofGrouping(SparkInside.plan(described)))
  }
}

/** A stream in windows. */
final case class Windowed private[spark] (
    stream: Stream,
    draft: WindowOperatorDraft,
    gap: Option[Field],
    hasTriggers: Boolean = false) {

  def lateness(allowed: TimeSpan): Windowed = copy(draft = draft.copy(lateness = Some(allowed)))

  /** When windows fire: while incomplete, when complete, and while they take messages still.
    *
    * @param skipUnchanged
    *   no pane whose value is that of the window's last one
    */
  def trigger(
      early: PaneTrigger = Never,
      onTime: Boolean = true,
      late: PaneTrigger = EachBatch,
      skipUnchanged: Boolean = false): Windowed =
    copy(
      draft = draft.copy(early = early, onTime = onTime, late = late, skipUnchanged = skipUnchanged),
      hasTriggers = true)

  /** What panes hold; to be stated where a window can fire twice. */
  def accumulationMode(mode: AccumulationMode): Windowed = copy(draft = draft.copy(accumulation = Some(mode)))

  /** Spark's own aggregates, and expressions of them.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap)
    stream.output(
      draft.window.toString,
      draft.check.map(Aggregates(_)),
      described,
      AggregateParts.ofGrouping(SparkInside.plan(described)))
  }

  /** Full state: a message store whose panes carry the messages that are new, and that can be looked into (see
    * [[Windrow.state]]). `retain` must be stated. Windows fire with each message unless `trigger` says otherwise.
    *
    * Throws [[SpecError]] with everything that is wrong.
    */
  def keepRows(): Output = {
    val described = stream.grouped(Nil, gap)
    val kept = FullStateDraft.check(
      draft,
      if (hasTriggers) draft.early else EachMessage,
      if (hasTriggers) draft.late else EachMessage)
    stream.output(
      draft.window.toString,
      kept.map(FullState(_)),
      described,
      FullStateParts.of(described.sparkSession, SparkInside.plan(described), None))
  }
}
