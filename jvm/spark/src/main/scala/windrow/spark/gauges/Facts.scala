package windrow.spark.gauges

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.input.WatermarkCheck
import windrow.spark.output.{CountColumns, OutputColumns}

/** The panes that the state will emit.
  *
  * @param panes
  *   their number
  * @param watermark
  *   the least watermark that emits one, or None if all wait for the clock
  * @param clock
  *   the earliest end of a period
  * @param kind
  *   what waits
  * @param next
  *   the watermark of the next micro-batch, if there is one
  */
private[spark] final case class WaitingPanes(
    panes: Long,
    watermark: Option[Long],
    clock: Option[Long],
    kind: WaitingPanes.Kind = WaitingPanes.OfPanes,
    next: Option[Long] = None)

private[spark] object WaitingPanes {

  /** @param one
    *   the text if one waits
    * @param several
    *   the text if several wait, without their number
    * @param happens
    *   the event for which they wait
    */
  sealed abstract class Kind(val one: String, val several: String, val happens: String)

  case object OfPanes extends Kind("1 pane waits", "panes wait", "emitted")
  case object OfRows  extends Kind("1 row waits", "rows wait", "emitted")

  /** Keys whose rows can still belong to a match. */
  case object OfKeys extends Kind("1 key with undecided rows waits", "keys with undecided rows wait", "decided")

  /** Returns the kind of the rows that the state returns for the question what is pending, by their columns. */
  def kind(columns: Seq[String]): Kind =
    if (columns.contains("window")) OfPanes
    else if (columns.contains("processing_time") || columns.contains("message")) OfRows
    else OfKeys
}

/** The facts about a query that decide why it emits nothing. Times are in microseconds.
  *
  * @param error
  *   the error that ended the query
  * @param batch
  *   the number of the newest micro-batch
  * @param counts
  *   counts of rows of the query, or of the examined one of several operators, by the names of the observed metrics
  * @param operators
  *   the operators, if there are several
  * @param inputs
  *   by input of a join or co-group, the watermark of its rows, if it has some
  * @param heldBackBy
  *   the input for which the watermark waits
  * @param quiet
  *   by source, the micro-batches in a row without rows of it
  * @param hasSeveralWatermarks
  *   whether inputs have their own watermarks, of which the least counts
  * @param open
  *   the number of open windows of the query or of the examined operator, if it is known
  * @param isBusy
  *   whether a micro-batch with rows runs now
  * @param runsWithoutData
  *   whether Spark runs micro-batches without rows, which emit windows
  * @param waiting
  *   the panes in the state, or None if the state was not read
  * @param lag
  *   how far the watermark of the examined operator is behind that of the query
  */
private[spark] final case class Facts(
    isActive: Boolean = true,
    error: Option[String] = None,
    batch: Option[Long] = None,
    counts: Map[String, Long] = Map.empty,
    operators: Option[Operators] = None,
    watermark: Option[Long] = None,
    newest: Option[Long] = None,
    inputs: Map[String, Option[Long]] = Map.empty,
    heldBackBy: Option[String] = None,
    quiet: Map[String, Int] = Map.empty,
    hasSeveralWatermarks: Boolean = false,
    open: Option[Long] = None,
    isBusy: Boolean = false,
    runsWithoutData: Boolean = true,
    waiting: Option[WaitingPanes] = None,
    lag: Long = 0,
    now: Long = Long.MinValue) {

  def count(name: String): Long = counts.getOrElse(name, 0L)

  /** The number of rows that leave the query. */
  def emitted: Long = operators.fold(emittedByExamined)(_.emitted)

  /** The number of rows that the examined operator emits. */
  def emittedByExamined: Long = count(CountColumns.Panes) + count(CountColumns.Rows)

  /** The name of the examined operator, if there are several. */
  def examined: Option[String] = operators.map(_.examined.name)

  /** Adds the counts of each operator, and the facts that the analyzed plan of the query shows. The plan is unknown after
    * the end of a run.
    *
    * @param counts
    *   by operator, counts of rows
    * @param open
    *   by operator, the number of open windows
    */
  def withOperators(
      counts: Map[String, Map[String, Long]],
      open: Map[String, Long],
      plan: Option[LogicalPlan]): Facts = {
    val several = Operators.of(counts, open, plan)
    val whole = copy(
      operators = several,
      open = Option.when(open.nonEmpty)(open.values.sum),
      hasSeveralWatermarks = plan.exists(WatermarkCheck.marks(_) > 1))
    several.map(_.examined).fold(whole)(one =>
      whole.copy(counts = one.counts, open = one.open, lag = plan.fold(0L)(Operators.lag(_, one.name))))
  }

  def behind: Option[Long] = for (ahead <- newest; mark <- watermark) yield ahead - mark
}

private[spark] object Facts {

  /** Returns the facts that the figures of a query show, and its analyzed plan, if it is running. */
  def of(status: QueryStatus, plan: Option[LogicalPlan]): Facts = Facts(
    batch = status.last.map(_.batch),
    counts = status.counts,
    watermark = status.watermark.map(_ * 1000),
    newest = status.newest.map(_ * 1000),
    inputs = status.inputs.map { case (name, reached) => name -> reached.map(_ * 1000) },
    heldBackBy = status.heldBackBy,
    quiet = status.quiet)
    .withOperators(status.operators, status.open.map { case (name, n) => OutputColumns.operator(name) -> n }, plan)
}
