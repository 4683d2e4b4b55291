package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.RuleExecutor

/** Simplifies an expression with Spark's own rules, which evaluate its constant parts. */
private[spark] object SimplifiedExpression extends RuleExecutor[LogicalPlan] {

  protected def batches: Seq[Batch] = Seq(Batch(
    "simplify",
    FixedPoint(20),
    ReplaceExpressions,
    ConstantFolding,
    SimplifyConditionals,
    SimplifyExtractValueOps,
    BooleanSimplification))

  def apply(expression: Expression): Expression =
    execute(Project(Seq(Alias(expression, "simple")()), LocalRelation(expression.references.toSeq))) match {
      case Project(Seq(Alias(simple, _)), _) => simple
      case _                                 => expression
    }
}
