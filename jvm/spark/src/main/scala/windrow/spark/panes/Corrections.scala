package windrow.spark.panes

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.SpecProblem
import windrow.spark.stream.QuerySpec

/** Whether an operator can take panes that take the place of others, which would else count beside them (SEMANTICS B4). */
private[spark] object Corrections {

  def problems(spec: QuerySpec, before: Seq[PanesBefore]): Seq[SpecProblem] = {
    val again = before.filterNot(_.comeOnce)
    spec match {
      case QuerySpec.Aggregates(operator) if operator.window.takesPanes =>
        before.filter(_.someSeeRetractions).map(_ => readTwice) ++ again.filterNot(_.comeWithRetractions).map(leftOut)
      case _: QuerySpec.FullState => again.map(twice(_, "messages()"))
      case _ =>
        val taker           = spec.window.fold("a policy")(_.toString)
        val (signed, plain) = again.partition(_.areTakenBack)
        plain.map(twice(_, taker, ", let every aggregate read pane.is_retraction")) ++
          signed.filterNot(_.comeWithRetractions).map(leftOut)
    }
  }

  def ofJoin(table: LogicalPlan): Seq[SpecProblem] =
    PanesBefore.of(table).filterNot(_.comeOnce).map(twice(_, "a join"))

  /** The table, whose panes come with the retractions of those that they take the place of. */
  def handed(table: LogicalPlan, before: Seq[PanesBefore]): LogicalPlan =
    PanesBefore.retracting(table, before.filterNot(_.comeOnce))

  /** A retraction would not be known as that of its pane. */
  val readTwice: SpecProblem = SpecProblem(
    "RETRACTION_READ",
    "an aggregate reads pane.is_retraction, but Inherit takes back itself what is retracted. Aggregate the plain values.")

  private val Choose = "choose one pane of each window, where(\"pane.timing = 'ON_TIME' AND NOT pane.is_retraction\")"

  private def twice(panes: PanesBefore, taker: String, more: String = "") = SpecProblem(
    "PANES_COME_AGAIN",
    s"windows of '${panes.name}' fire again, and $taker would count a pane beside the one that takes its place. Either " +
      s"$Choose, group the panes by Inherit()$more, or accumulate(DISCARDING) in '${panes.name}' if the parts add up.")

  private def leftOut(panes: PanesBefore) = SpecProblem(
    "RETRACTIONS_LEFT_OUT",
    s"a filter takes panes of '${panes.name}' without their retractions, so what they show would count for good. Take the " +
      s"retractions, too, or $Choose.")
}
