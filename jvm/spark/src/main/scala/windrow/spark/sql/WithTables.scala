package windrow.spark.sql

import java.util.Locale
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{PLAN_EXPRESSION, UNRESOLVED_TABLE_VALUED_FUNCTION}
import scala.annotation.tailrec
import scala.collection.mutable

/** Replaces names that WITH defines by their definitions in the table arguments of Windrow's functions, because the
  * functions take these plans apart. Spark Connect names the DataFrames of an SQL text in this way inside a pipeline.
  *
  * Runs after Spark has replaced the names by references and before it resolves the functions.
  */
private[spark] object WithTables extends Rule[LogicalPlan] {

  def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsAnyPattern(UNRESOLVED_TABLE_VALUED_FUNCTION, PLAN_EXPRESSION)) plan
    else {
      val defined = plan.collectWithSubqueries { case one: CTERelationDef => one.id -> one.child }.toMap
      if (defined.isEmpty) plan
      else AnalysisHelper.allowInvokingTransformsInAnalyzer(new Replacement(defined).in(plan))
    }

  private final class Replacement(defined: Map[Long, LogicalPlan]) {
    private val placed = mutable.Set.empty[Long]

    def in(plan: LogicalPlan): LogicalPlan = {
      val all = plan.transformWithSubqueries {
        case function: UnresolvedTableValuedFunction
            if function.name.last.toLowerCase(Locale.ROOT).stripPrefix("_").startsWith("windrow_") =>
          function.transformExpressions {
            case table: FunctionTableSubqueryArgumentExpression => table.copy(plan = here(table.plan))
          }
      }
      if (placed.isEmpty) plan else withoutUnused(all)
    }

    private def here(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
      case name: CTERelationRef if defined.contains(name.cteId) =>
        placed += name.cteId
        here(defined(name.cteId))
    }

    /** Removes definitions that are no longer used, because Spark would check and run them. One that is removed may have
      * been the only one that used another.
      */
    @tailrec private def withoutUnused(plan: LogicalPlan): LogicalPlan = {
      val used = plan.collectWithSubqueries { case name: CTERelationRef => name.cteId }.toSet
      val next = plan.transformWithSubqueries {
        case whole: WithCTE =>
          val kept = whole.cteDefs.filter(one => used(one.id) || !placed(one.id))
          if (kept.isEmpty) whole.plan else whole.copy(cteDefs = kept)
      }
      if (next.fastEquals(plan)) next else withoutUnused(next)
    }
  }
}
