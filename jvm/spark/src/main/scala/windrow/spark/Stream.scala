package windrow.spark

import org.apache.spark.sql.functions._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{AnalysisException, Column, DataFrame}
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.dedup.Dedup
import windrow.spark.fullstate.{FullState, FullStateParts}
import windrow.spark.input.{AggregateParts, Marks}
import windrow.spark.output.OutputKind
import windrow.spark.policy.Policies
import windrow.spark.stream.{StreamOperator, StreamOptions}
import windrow.spark.watermark.EventWatermark

/** A described input. [[Windrow.stream]] creates it, and every method returns a changed copy. */
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
    invalid: InvalidMessages = InvalidMessages.Reject,
    idleAfter: Option[TimeSpan] = None,
    partitions: Option[(Field, Long)] = None)
    extends PatternBuilder {

  /** Makes the watermark follow the processing time minus `delay`, so that it advances even if no rows arrive. By
    * default, the watermark is the greatest event time minus the delay that [[Windrow.stream]] sets.
    * {{{
    * Windrow.stream(orders, time = "time").processingTimeWatermark("5 minutes")
    * }}}
    *
    * @param delay
    *   how far the watermark stays below the processing time
    * @return
    *   a copy of this stream
    */
  def processingTimeWatermark(delay: TimeSpan): Stream = copy(behind = Some(delay))

  /** Gives each partition of the input a watermark of its own, of which the least one counts. By default, the watermark
    * follows the greatest event time of all rows, so that rows of a partition that is behind the others are late.
    * {{{
    * Windrow.stream(orders, time = "time", watermark = Some("10 seconds")).watermarkBy("partition", Some(8))
    * }}}
    *
    * @param by
    *   the partition of a row, of any type that can be shown as text
    * @param partitions
    *   the number of partitions, by default 1. The watermark does not advance until the run has read rows of so many.
    * @return
    *   a copy of this stream
    */
  def watermarkBy(by: Field, partitions: Option[Long] = None): Stream =
    copy(partitions = Some(by -> partitions.getOrElse(1L)))

  /** Sets when a silent input of a join or a co-group, or a silent partition, no longer holds the watermark back. By
    * default, the watermark waits until each of them has new rows.
    * {{{
    * val ships = Windrow.stream(df, time = "time", watermark = Some("10 seconds"), name = "ships").idle("10 minutes")
    * }}}
    *
    * @param idle
    *   the processing time without rows
    * @return
    *   a copy of this stream
    */
  def idle(idle: TimeSpan): Stream = copy(idleAfter = Some(idle))

  /** Sets how long after its end a window still accepts rows.
    * {{{
    * Windrow.stream(orders, time = "time", watermark = Some("10 seconds")).lateness("10 minutes")
    * }}}
    *
    * @param allowed
    *   the allowed lateness in event time, or [[TimeSpan.Endless]] for no limit
    * @return
    *   a copy of this stream
    */
  def lateness(allowed: TimeSpan): Stream = copy(allowed = Some(allowed))

  /** Limits how much of the past the state keeps. If several limits are set, the first one that is reached applies. No
    * limit removes a row of a window that may still change.
    * {{{
    * Windrow.stream(df, time = "time", key = Seq("id"), watermark = Some("1 minute")).retain(time = Some("2 hours"))
    * }}}
    *
    * @param time
    *   how long rows are kept, measured from the watermark; at least the size of a window plus the lateness
    * @param messages
    *   how many of the newest rows of each key are kept
    * @param windows
    *   how many of the newest windows of each key are kept
    * @return
    *   a copy of this stream
    */
  def retain(time: Option[TimeSpan] = None, messages: Option[Long] = None, windows: Option[Long] = None): Stream =
    copy(retention = Retention(time, messages, windows))

  /** Sets the columns by which `getMessages(by = …)` finds rows. The default is the key. Only for `keepRows()`.
    *
    * @param by
    *   names of columns of the input
    * @return
    *   a copy of this stream
    */
  def index(by: Seq[String]): Stream = copy(indexed = by)

  /** Divides the stream into windows.
    * {{{
    * orders.window(Tumbling("1 minute"))
    * orders.window(Hopping("1 hour", step = "10 minutes"), fillGaps = "1 day")
    * }}}
    *
    * @param kind
    *   the windows, for example `Tumbling("1 minute")`
    * @param gap
    *   the session gap of each row for `Session.OfMessage`: an interval, or an integer number of microseconds
    * @param closeOn
    *   whether the watermark or a later row of the key closes a window
    * @param fillGaps
    *   how long after a key's last window with rows its empty windows also fire (`"30 days"`), or [[TimeSpan.Endless]];
    *   only for tumbling, hopping and calendar windows
    * @return
    *   the windowed stream
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

  /** Divides the stream into several windows at once. Their panes are those of a query for each window, with its name in
    * the column `window_name`.
    * {{{
    * orders.windows("minute" -> Tumbling("1 minute"), "hour" -> Hopping("1 hour", step = "5 minutes"))
    * }}}
    *
    * @param named
    *   the windows by name: tumbling, hopping or calendar windows, or sessions with one gap for all rows
    * @return
    *   the windowed stream, whose settings apply to all windows
    */
  def windows(named: (String, WindowKind)*): Windowed = window(NamedWindows(named))

  /** Gives each key one policy window. Row counts, values and processing time decide which rows leave the window and
    * when it fires. Event time is ignored, so the stream needs no event time and no watermark.
    * {{{
    * prices.policy(Eviction.Sliding(ByCount(20), ByDelta("price", 1.0))).aggregate(avg("price"))
    * }}}
    *
    * @param eviction
    *   which rows leave a window, and when it fires
    * @param limit
    *   when the windows of entire keys are removed. A limit on the number of all keys or all rows puts all keys into
    *   one shard.
    * @return
    *   the windowed stream
    */
  def policy(eviction: Eviction, limit: KeyLimits = KeyLimits.NotStated): PolicyWindowed = {
    val spec  = PolicyWindowSpec.check(eviction, limit)
    val found = UnsupportedSettings.byPolicies(allowed, maxFuture, retention)
    PolicyWindowed(this, if (found.isEmpty) spec else Left(found ++ spec.left.getOrElse(Nil)))
  }

  /** Keeps the first or the last row of each key and drops its duplicates, which are rows of the key whose event times
    * differ from its own by at most `within`. A first row is emitted in the micro-batch in which it arrives. A last row
    * is emitted when no row can replace it any longer, or at once and then with retractions. Requires `key`, and
    * `lateness`, which sets how late a row may be.
    * {{{
    * val once = orders.lateness("1 hour").dedup("10 minutes")
    * Windrow.stream(once.rows, time = Some("time"), key = Seq("product")).window(Tumbling("1 minute"))
    * val newest = orders.lateness("1 hour").dedup("1 day", orderBy = Seq("version"), keep = "last")
    * }}}
    *
    * @param within
    *   the greatest difference between the event times of duplicates
    * @param orderBy
    *   columns that decide. Of the rows with equal event time in a micro-batch, the least one is the first. The
    *   greatest row of all is the last one, by default the one with the latest event time.
    * @param keep
    *   `Keep.First` or `Keep.Last`
    * @param accumulationMode
    *   `AccumulatingAndRetracting` emits a last row at once, and retracts it when another row replaces it. `rows` then
    *   has the column `is_retraction`. None emits it once.
    * @return
    *   the kept and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    */
  def dedup(
      within: TimeSpan,
      orderBy: Seq[String] = Nil,
      keep: Keep = Keep.First,
      accumulationMode: Option[AccumulationMode] = None): DedupOutput = {
    val spec      = DedupDraft(Some(within), orderBy, allowed, maxFuture, keep, accumulationMode).check
    val found     = UnsupportedSettings.limits(retention, "DEDUP")
    val described = grouped(Nil, gap = None)
    val made = new DedupOutput(new StreamPlan(
      options,
      inWords,
      "dedup",
      if (found.isEmpty) spec.map(Dedup(_)) else Left(found ++ spec.left.getOrElse(Nil)),
      Dedup.parts(described.sparkSession, SparkInside.plan(described), None),
      described.sparkSession))
    made.rows // throws a SpecError here, in the call that contains the mistake
    made
  }

  /** Options of the stream, with all kinds of output. [[Output]] replaces the kind. */
  private[spark] def options: StreamOptions =
    StreamOptions(None, None, Map.empty, eventWatermark, behind, name, OutputKind.All, indexed, invalid)

  /** Returns the watermark that Windrow sets.
    *
    * @throws SpecError
    *   if its settings do not fit together
    */
  private[spark] def eventWatermark: Option[EventWatermark] = {
    val (ofRows, mark) = EventWatermark.of(watermark, idleAfter, partitions.isDefined, partitions.map(_._2))
    val found          = ofRows ++ EventWatermark.negative("processingTimeWatermark", behind)
    if (found.nonEmpty) throw SpecError(s"stream '$name'", found)
    mark
  }

  private[spark] def inWords: String = {
    def shown(fields: Seq[Field]) = fields.map(_.column).mkString(", ")
    s"stream '$name'" + time.fold("")(time => s", event time ${shown(Seq(time))}") +
      (if (key.isEmpty) ", no key" else s", key ${shown(key)}")
  }

  /** Builds the output of an operator over `described`, the table that describes it. */
  private[spark] def output(
      window: String,
      operator: Either[Seq[SpecProblem], StreamOperator],
      described: DataFrame,
      parts: (Seq[SpecProblem], Option[AggregateParts])): Output = {
    val plan = new StreamPlan(options, inWords, window, operator, parts, described.sparkSession)
    val made = new Output(plan, rowId.isDefined)
    made.panes // throws a SpecError here, in the call that contains the mistake
    made
  }

  /** Builds an aggregation that carries the key, the aggregates and marked fields of the rows. Spark analyzes it but
    * never runs it.
    */
  private[spark] def grouped(aggregates: Seq[Column], gap: Option[Field]): DataFrame = {
    def marker(name: String, field: Field) = Marks.marked(first(field.column), name)
    val markers = time.map(marker("time", _)) ++ gap.map(marker("gap", _)) ++ rowId.toSeq.flatMap(from =>
      Seq(marker("source", from.source), marker("partition", from.partition), marker("offset", from.offset))) ++
      partitions.map { case (by, _) => marker("watermark_by", by) }
    val all = Option(aggregates ++ markers).filter(_.nonEmpty).getOrElse(Seq(Marks.marked(first(lit(1)), "nothing")))
    try df.groupBy(key.map(_.column): _*).agg(all.head, all.tail: _*)
    catch {
      case refused: AnalysisException => throw SpecError(
          s"stream '$name'",
          Seq(SpecProblem("QUERY_REFUSED", "why" -> refused.getSimpleMessage)))
    }
  }
}

/** A stream in policy windows. [[Stream.policy]] creates it. */
final case class PolicyWindowed private[spark] (stream: Stream, spec: Either[Seq[SpecProblem], PolicyWindowSpec]) {

  /** Aggregates the rows of each window with Spark's own aggregate functions, and expressions of them.
    *
    * @return
    *   the panes and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap = None)
    stream.output("Policy", spec.map(Policies(_)), described, AggregateParts.ofGrouping(SparkInside.plan(described)))
  }
}

/** A stream in windows. [[Stream.window]] creates it. */
final case class Windowed private[spark] (
    stream: Stream,
    draft: WindowOperatorDraft,
    gap: Option[Field],
    hasTriggers: Boolean = false) {

  /** Sets how long after its end a window still accepts rows; see [[Stream.lateness]]. */
  def lateness(allowed: TimeSpan): Windowed = copy(draft = draft.copy(lateness = Some(allowed)))

  /** Sets when windows fire.
    * {{{
    * minutes.trigger(early = Every("10 seconds"), late = EachBatch)
    * minutes.trigger(early = "10 seconds", late = "each_batch") // the same
    * }}}
    *
    * @param early
    *   when an incomplete window fires
    * @param onTime
    *   whether a window fires when it is complete
    * @param late
    *   when a complete window that still accepts rows fires
    * @param skipUnchanged
    *   whether to omit a pane whose value equals that of the window's previous pane
    * @return
    *   a copy of this windowed stream
    */
  def trigger(
      early: PaneTrigger = Never,
      onTime: Boolean = true,
      late: PaneTrigger = EachBatch,
      skipUnchanged: Boolean = false): Windowed =
    copy(
      draft = draft.copy(early = early, onTime = onTime, late = late, skipUnchanged = skipUnchanged),
      hasTriggers = true)

  /** Sets the content of corrected panes. Required if a window can fire more than once.
    * {{{
    * // A sum of 2.0 and 4.0, then a late 9.0:
    * minutes.accumulationMode(Accumulating)              // 6.0, then 15.0
    * minutes.accumulationMode(Discarding)                // 6.0, then 9.0
    * minutes.accumulationMode(AccumulatingAndRetracting) // 6.0, then a retraction of 6.0, then 15.0
    * }}}
    *
    * @param mode
    *   `Accumulating`, `Discarding` or `AccumulatingAndRetracting`
    * @return
    *   a copy of this windowed stream
    */
  def accumulationMode(mode: AccumulationMode): Windowed = copy(draft = draft.copy(accumulation = Some(mode)))

  /** Sets the values of windows without rows, which then fire, too. Their panes have the field `pane.is_gap`. By
    * default, such a window has the aggregates of no rows.
    * {{{
    * minutes.fillGaps(GapValues.every(GapMethod.Previous, atMost = Some("1 hour")))
    * minutes.fillGaps(GapValues(Seq("celsius" -> GapMethod.Linear, "rain" -> GapMethod.Value(0L)), Some("1 hour")))
    * }}}
    *
    * @param values
    *   a method for each result column, and how long the values of a window are carried
    * @return
    *   a copy of this windowed stream
    */
  def fillGaps(values: GapValues): Windowed = copy(draft = draft.copy(gapValues = Some(values)))

  /** Aggregates the rows of each window and key with Spark's own aggregate functions, and expressions of them.
    * {{{
    * stream.window(Tumbling("1 minute")).aggregate(avg("price"), count("*").as("orders"))
    * }}}
    *
    * @return
    *   the panes and the rejected rows
    * @throws SpecError
    *   with every problem of the description
    */
  def aggregate(column: Column, more: Column*): Output = {
    val described = stream.grouped(column +: more, gap)
    stream.output(
      draft.window.toString,
      draft.check.map(Aggregates(_)),
      described,
      AggregateParts.ofGrouping(SparkInside.plan(described)))
  }

  /** Keeps the rows themselves (full state). Each pane carries the rows that are new in its window, and the kept rows
    * can be read with [[Windrow.state]]. Requires `retain`. Windows fire with every row unless `trigger` is set.
    * {{{
    * orders.lateness("5 minutes").retain(time = Some("2 hours")).window(Tumbling("1 minute")).keepRows()
    * }}}
    *
    * @return
    *   the panes and the rejected rows
    * @throws SpecError
    *   with every problem of the description
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
