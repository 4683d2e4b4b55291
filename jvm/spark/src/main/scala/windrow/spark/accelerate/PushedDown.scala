package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, EliminateView}
import org.apache.spark.sql.catalyst.optimizer.{
  ColumnPruning, EliminateOuterJoin, InferFiltersFromConstraints, PushDownPredicates
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import scala.annotation.tailrec

/** Moves filters and projections of a query as far towards its inputs as Spark's optimizer does. Afterwards, an operator
  * of Windrow does not stand between a filter and the watermark below which Spark applies it, and a join stores only the
  * columns that the query reads.
  */
private object PushedDown {
  private val Most = 100 // as Spark's optimizer

  def apply(query: LogicalPlan): LogicalPlan =
    settled(InferFiltersFromConstraints(settled(EliminateSubqueryAliases(EliminateView(query)), Most)), Most)

  @tailrec
  private def settled(plan: LogicalPlan, times: Int): LogicalPlan = {
    val next = ColumnPruning(EliminateOuterJoin(PushDownPredicates(plan)))
    if (times == 0 || next.fastEquals(plan)) next else settled(next, times - 1)
  }
}
