package windrow.spark.pattern

import org.apache.spark.sql.catalyst.expressions.{Expression, With}
import org.apache.spark.sql.catalyst.trees.TreePattern.{CURRENT_LIKE, PLAN_EXPRESSION, PYTHON_UDF}
import windrow.SpecProblem
import windrow.spark.panes.SimplifiedExpression

/** Checks and prepares expressions that tasks evaluate for rows. */
private[pattern] object RowExpressions {

  /** Whether an expression depends on rows alone. Spark's optimizer must prepare the others for each micro-batch. */
  def dependsOnRows(expression: Expression): Boolean =
    expression.deterministic && !expression.containsAnyPattern(CURRENT_LIKE, PLAN_EXPRESSION, PYTHON_UDF)

  def unsupported(argument: String): SpecProblem =
    SpecProblem("MATCH_EXPRESSION.NOT_SUPPORTED", "argument" -> argument)

  /** Replaces expressions that only Spark's optimizer understands. */
  def plain(expression: Expression): Expression =
    expression.transformUp { case shared: With => SimplifiedExpression.spelledOut(shared) }
}
