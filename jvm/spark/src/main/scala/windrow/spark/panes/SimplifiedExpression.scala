package windrow.spark.panes

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.RuleExecutor
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import scala.collection.mutable

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

  /** Hides what reads the current time from the rules: those of Spark 4.0 fail to evaluate it. */
  private def simple(expression: Expression): Expression = {
    val times = mutable.Map.empty[ExprId, Expression]
    val whole = expression.transform {
      case now if now.foldable && now.containsPattern(CURRENT_LIKE) =>
        val column = AttributeReference("now", now.dataType, now.nullable)()
        times(column.exprId) = now
        column
    }
    execute(Project(Seq(Alias(whole, "simple")()), LocalRelation(whole.references.toSeq))) match {
      case Project(Seq(Alias(simple, _)), _) =>
        simple.transform { case column: Attribute => times.getOrElse(column.exprId, column) }
      case _ => expression
    }
  }

  /** Replaces references to common expressions, as in `BETWEEN`, by the expressions. */
  def spelledOut(shared: With): Expression = shared.child.transform {
    case reference: CommonExpressionRef if shared.defs.exists(_.id == reference.id) =>
      shared.defs.find(_.id == reference.id).get.child
  }
}
