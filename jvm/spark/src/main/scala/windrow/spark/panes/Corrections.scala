package windrow.spark.panes

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecProblem

/** Whether an operator can take panes that take the place of others, which would else count beside them (SEMANTICS B4). */
private[spark] object Corrections {

  /** Of an operator that takes panes as such. */
  def inherited(before: Seq[PanesBefore]): Seq[SpecProblem] =
    before.filter(_.someSeeRetractions).map(_ => readTwice) ++ again(
      before).filterNot(_.comeWithRetractions).map(leftOut)

  /** Of one that keeps or joins them. */
  def kept(before: Seq[PanesBefore], taker: String): Seq[SpecProblem] = again(before).map(twice(_, taker))

  /** Of one that aggregates them as messages. */
  def aggregated(before: Seq[PanesBefore], taker: String): Seq[SpecProblem] = {
    val (signed, plain) = again(before).partition(_.areTakenBack)
    plain.map(twice(_, taker, ", read pane.is_retraction in every aggregate")) ++
      signed.filterNot(_.comeWithRetractions).map(leftOut)
  }

  private def again(before: Seq[PanesBefore]) = before.filterNot(_.comeOnce)

  /** The table, whose panes come with the retractions of those that they take the place of. */
  def handed(table: LogicalPlan, before: Seq[PanesBefore]): LogicalPlan =
    PanesBefore.retracting(table, again(before))

  /** A retraction would not be known as that of its pane. */
  val readTwice: SpecProblem = SpecProblem(
    "RETRACTION_READ")

  private val Choose = "keep one pane of each window with where(\"pane.timing = 'ON_TIME' AND NOT pane.is_retraction\")"

  private def twice(panes: PanesBefore, taker: String, more: String = "") = SpecProblem(
    "PANES_COME_AGAIN",
    "stream" -> panes.name,
    "taker"  -> taker,
    "choose" -> Choose,
    "more"   -> more)

  private def leftOut(panes: PanesBefore) = SpecProblem(
    "RETRACTIONS_LEFT_OUT",
    "stream" -> panes.name,
    "choose" -> Choose)
}
