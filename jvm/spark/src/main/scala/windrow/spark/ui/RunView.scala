package windrow.spark.ui

import java.util.UUID
import org.apache.spark.sql.windrow.{LiveRun, LiveRuns, StoredRun, StoredRuns}
import windrow.spark.gauges.{BatchFigures, Cause, Causes, Facts, Operators, QueryStatus, WaitingPanes}
import windrow.spark.output.OutputColumns

/** A run of a Windrow query, as the tab shows it.
  *
  * @param live
  *   the query, if it runs in this driver
  * @param now
  *   the time of the clock, in milliseconds
  */
private[ui] final class RunView(val run: StoredRun, val live: Option[LiveRun], now: Long) {

  /** The figures of the stored micro-batches, the oldest first. */
  val batches: Seq[BatchFigures] = run.progress.flatMap(BatchFigures.of(_))

  val status: QueryStatus = batches.foldLeft(QueryStatus())(_.after(_))

  def title: String = run.name.getOrElse(run.id.toString)

  /** The error that ended the run, in a line. */
  val error: Option[String] = run.error.map(FailureLine(_))

  def state: String = if (error.nonEmpty) "failed" else if (run.isActive) "running" else "ended"

  private val figures = Facts.of(status, live.map(_.plan))

  /** The operators, an operator after those whose output it reads. */
  val operators: Seq[Operators.OperatorCounts] = figures.operators.fold(status.operators.toSeq.map {
    case (name, counts) =>
      Operators.OperatorCounts(name, counts, figures.open)
  })(_.all)

  /** The operator whose state shows why the query emits nothing, if there are several. */
  def examined: Option[String] = figures.examined

  /** Returns the reasons why the query emits nothing, or nothing more.
    *
    * @param waiting
    *   the panes in the state, if it was read
    */
  def causes(waiting: Option[WaitingPanes] = None): Seq[Cause] = Causes.of(figures.copy(
    isActive = run.isActive,
    error = error,
    isBusy = live.exists(_.isBusy),
    runsWithoutData = live.forall(_.runsWithoutData),
    waiting = waiting,
    now = run.end.getOrElse(now) * 1000))
}

private[ui] object RunView {

  /** Returns the runs of Windrow queries, the newest first. */
  def all(stored: StoredRuns, live: LiveRuns): Seq[RunView] = stored.all.flatMap(of(stored, live, _))

  def find(stored: StoredRuns, live: LiveRuns, runId: UUID): Option[RunView] =
    stored.all.find(_.runId == runId).flatMap(of(stored, live, _))

  private def of(stored: StoredRuns, live: LiveRuns, run: StoredRun): Option[RunView] = {
    val running = live.get(run.id, run.runId)
    val view    = new RunView(run, running, System.currentTimeMillis)
    Option.when(view.batches.nonEmpty || running.exists(isWindrow) || hasWindrow(stored, run))(view)
  }

  private def isWindrow(live: LiveRun): Boolean = live.plan.exists(_.getClass.getName.startsWith("windrow."))

  /** Whether the plan of a micro-batch that failed, and so has no figures, contains Windrow's counts. */
  private def hasWindrow(stored: StoredRuns, run: StoredRun): Boolean =
    run.progress.isEmpty && stored.plans(run.runId).exists(Counts.findFirstIn(_).nonEmpty)

  private val Counts = s"(?:Arguments: |CollectMetrics )${OutputColumns.Prefix}".r
}
