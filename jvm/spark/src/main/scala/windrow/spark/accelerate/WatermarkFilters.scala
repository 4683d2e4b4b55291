package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{BaseEvalPython, EventTimeWatermark, Filter, Join, LogicalPlan}

/** The conditions that rows meet before a watermark sees them. Spark's optimizer moves conditions through its own
  * aggregations and joins below the watermark, so that other rows do not advance it. It does not move them through an
  * operator of Windrow, so a query whose rewritten plan lacks them must stay with Spark.
  */
private object WatermarkFilters extends PredicateHelper {
  type Conditions = Map[(ExprId, Set[Expression]), Int]

  /** Returns the conditions below each watermark of an optimized plan, in which a watermark can occur several times. */
  def of(optimized: LogicalPlan): Conditions = optimized.collect {
    case mark: EventTimeWatermark => (mark.eventTime.exprId, below(mark))
  }.groupMapReduce(identity)(_ => 1)(_ + _)

  private def below(mark: EventTimeWatermark): Set[Expression] = {
    val functions = AttributeMap(mark.child.collect { case python: BaseEvalPython =>
      python.resultAttrs.zip(python.udfs)
    }.flatten) // the ids of results are new each time
    // The optimizer turns `IN` and `EXISTS` into joins, and moves conditions into joins.
    val joins = mark.child.collect { case join: Join =>
      s"${join.joinType.sql} ${join.condition.fold(0)(splitConjunctivePredicates(_).size)}"
    }
    mark.child.collect { case Filter(condition, _) => splitConjunctivePredicates(condition) }.flatten
      .map(_.transform { case column: Attribute => functions.getOrElse(column, column) }.canonicalized)
      .toSet + Literal(joins.sorted.mkString(", "))
  }
}
