package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.fullstate.{FullState, FullStateParts}
import windrow.spark.input.AggregateParts
import windrow.spark.policy.Policies

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
