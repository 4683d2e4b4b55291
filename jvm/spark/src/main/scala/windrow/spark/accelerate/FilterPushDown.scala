package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, EliminateView}
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.windrow.CurrentTimes
import scala.annotation.tailrec

/** Moves filters and projections of a query as far towards its inputs as Spark's optimizer does. Afterwards, an operator
  * of Windrow does not stand between a filter and the watermark below which Spark applies it, and a join stores only the
  * columns that the query reads.
  */
private object FilterPushDown {
  private val Most = 100 // as Spark's optimizer

  /** @param prunes
    *   whether columns that the query does not read are removed
    */
  def apply(query: LogicalPlan, prunes: Boolean): LogicalPlan = CurrentTimes.changed(query)(plan =>
    settled(
      used(InferFiltersFromConstraints, settled(EliminateSubqueryAliases(EliminateView(plan)), prunes, Most)),
      prunes,
      Most))

  /** Applies a rule, unless the session excludes it from the optimizer. */
  private def used(rule: Rule[LogicalPlan], plan: LogicalPlan): LogicalPlan =
    if (SQLConf.get.optimizerExcludedRules.exists(_.contains(rule.ruleName))) plan else rule(plan)

  @tailrec
  private def settled(plan: LogicalPlan, prunes: Boolean, times: Int): LogicalPlan = {
    val moved = used(EliminateOuterJoin, used(PushDownPredicates, plan))
    val next  = if (prunes) used(ColumnPruning, moved) else moved
    if (times == 0 || next.fastEquals(plan)) next else settled(next, prunes, times - 1)
  }
}
