package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions.{Alias, CommonExpressionRef, Expression, TaggingExpression, With}
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.RuleExecutor

/** Simplifies an expression with Spark's own rules, which evaluate its constant parts. Assertions about nulls are
  * removed, because the rules do not look inside them.
  */
private[spark] object SimplifiedExpression extends RuleExecutor[LogicalPlan] {

  protected def batches: Seq[Batch] = Seq(Batch(
    "simplify",
    FixedPoint(20),
    ReplaceExpressions,
    ConstantFolding,
    SimplifyConditionals,
    SimplifyExtractValueOps,
    BooleanSimplification))

  def apply(expression: Expression): Expression = simple(expression.transform { case tag: TaggingExpression =>
    tag.child
  })

  private def simple(expression: Expression): Expression =
    execute(Project(Seq(Alias(expression, "simple")()), LocalRelation(expression.references.toSeq))) match {
      case Project(Seq(Alias(simple, _)), _) => simple
      case _                                 => expression
    }

  /** Replaces references to common expressions, as in `BETWEEN`, by the expressions. */
  def spelledOut(shared: With): Expression = shared.child.transform {
    case reference: CommonExpressionRef if shared.defs.exists(_.id == reference.id) =>
      shared.defs.find(_.id == reference.id).get.child
  }
}
