package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, Filter, LogicalPlan}

/** The conditions that rows meet before a watermark sees them. Spark's optimizer moves conditions through its own
  * aggregations and joins below the watermark, so that other rows do not advance it. It does not move them through an
  * operator of Windrow, so a query whose rewritten plan lacks them must stay with Spark.
  */
private object WatermarkFilters extends PredicateHelper {
  type Conditions = Map[ExprId, Set[Expression]]

  /** Returns the conditions below each watermark of an optimized plan. */
  def of(optimized: LogicalPlan): Conditions =
    optimized.collect { case mark: EventTimeWatermark => mark }.groupMapReduce(_.eventTime.exprId)(below)(_ ++ _)

  private def below(mark: EventTimeWatermark): Set[Expression] =
    mark.child.collect { case Filter(condition, _) => splitConjunctivePredicates(condition) }.flatten.map(
      _.canonicalized).toSet
}
