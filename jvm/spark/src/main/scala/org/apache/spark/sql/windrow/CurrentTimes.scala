package org.apache.spark.sql.windrow

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Join, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.types.DataType

/** Optimizes the plans of streaming queries as Spark does in a micro-batch, where functions of the current time differ
  * from those of a batch query. `current_timestamp()` and similar functions are the time of the micro-batch, which is
  * nondeterministic until the plan is optimized, so that no filter with them moves below an operator with state. Spark's
  * optimizer itself computes others, such as `now()`.
  */
object CurrentTimes {

  /** A function of the current time while a plan is optimized. */
  private final case class HiddenFunction(function: Expression) extends LeafExpression with Unevaluable {
    override def dataType: DataType          = function.dataType
    override def nullable: Boolean           = function.nullable
    override lazy val deterministic: Boolean = !isOfMicroBatch(function)
  }

  private def isOfMicroBatch(function: Expression) = function match {
    case _: CurrentTimestamp | _: CurrentDate | _: LocalTimestamp => true
    case _                                                        => false
  }

  private def isFunction(expression: Expression) = in(expression) && !expression.children.exists(in)

  private def in(expression: Expression) = expression.containsPattern(CURRENT_LIKE)

  /** Whether keys, arguments, gaps, or the condition of an operator with state depend on the current time. Spark refuses
    * most of these operators, and does not group by a column that is a constant for its optimizer.
    */
  def isReadBy(operator: LogicalPlan): Boolean =
    (operator match {
      case Aggregate(keys, results, _, _) =>
        (keys ++ results.flatMap(_.collect { case call: AggregateExpression => call })).exists(in)
      case join: Join => join.condition.exists(in)
      case _          => false
    }) || operator.exists {
      case Project(columns, _) =>
        columns.exists(column =>
          column.exists(isConstant) || column.metadata.contains(SessionWindow.marker) && in(column))
      case _ => false
    }

  private def isConstant(expression: Expression) = isFunction(expression) && !isOfMicroBatch(expression)

  private def hidden(plan: LogicalPlan) = plan.transformAllExpressions {
    case function if isFunction(function) => HiddenFunction(function)
  }

  /** Applies some of the optimizer's rules. */
  def changed(plan: LogicalPlan)(rules: LogicalPlan => LogicalPlan): LogicalPlan =
    rules(hidden(plan)).transformAllExpressions { case HiddenFunction(function) => function }

  /** Applies all rules of the optimizer to a plan that is not run, so that equal plans have equal results at any time. */
  def optimized(session: SparkSession, plan: LogicalPlan): LogicalPlan = SparkInside.optimized(session, hidden(plan))
}
