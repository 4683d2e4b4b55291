package windrow.spark.panes

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecProblem

/** Checks whether an operator can process corrections of panes. Otherwise it would count a pane and its correction
  * (SEMANTICS B4).
  */
private[spark] object Corrections {

  /** Returns the problems of an operator that reads panes as panes (`Inherit`). */
  def inherited(before: Seq[UpstreamPanes]): Seq[SpecProblem] =
    before.filter(_.someSeeRetractions).map(_ => readTwice) ++ again(
      before).filterNot(_.comeWithRetractions).map(leftOut)

  /** Returns the problems of an operator that keeps or joins panes. */
  def kept(before: Seq[UpstreamPanes], taker: String): Seq[SpecProblem] = again(before).map(twice(_, taker))

  /** Returns the problems of an operator that aggregates panes as rows. */
  def aggregated(before: Seq[UpstreamPanes], taker: String): Seq[SpecProblem] = {
    val (signed, plain) = again(before).partition(_.areTakenBack)
    plain.map(twice(_, taker, ", read pane.is_retraction in every aggregate")) ++
      signed.filterNot(_.comeWithRetractions).map(leftOut)
  }

  private def again(before: Seq[UpstreamPanes]) = before.filterNot(_.comeOnce)

  /** Returns the table with retractions of the panes that others replace. */
  def handed(table: LogicalPlan, before: Seq[UpstreamPanes]): LogicalPlan =
    UpstreamPanes.retracting(table, again(before))

  /** The problem of an aggregate that reads `is_retraction`: a retraction could not be matched with its pane. */
  val readTwice: SpecProblem = SpecProblem(
    "RETRACTION_READ")

  private val Choose = "keep one pane of each window with where(\"pane.timing = 'ON_TIME' AND NOT pane.is_retraction\")"

  private def twice(panes: UpstreamPanes, taker: String, more: String = "") = SpecProblem(
    "PANES_COME_AGAIN",
    "stream" -> panes.name,
    "taker"  -> taker,
    "choose" -> Choose,
    "more"   -> more)

  private def leftOut(panes: UpstreamPanes) = SpecProblem(
    "RETRACTIONS_LEFT_OUT",
    "stream" -> panes.name,
    "choose" -> Choose)
}
