package windrow.spark.state

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.windrow.SparkInside
import windrow.CheckpointError

/** Texts of a checkpoint as expressions. A checkpoint is data: what it says may combine columns by functions that Spark
  * itself has and that touch nothing else, and nothing in it is run (SEMANTICS S12).
  */
private[state] final class SafeText(session: SparkSession) {

  /** Parsed only: even the resolution of some functions loads classes or files.
    *
    * @param columns
    *   all that it may name
    */
  def column(text: String, columns: Seq[String]): Column = {
    session.sessionState.sqlParser.parseExpression(text).foreach {
      case function: UnresolvedFunction if !isOfSpark(function) => SafeText.refuse(s"calls ${named(function)}")
      case function: UnresolvedFunction if SafeText.Reaching(function.nameParts.last.toLowerCase) =>
        SafeText.refuse(s"calls ${named(function)}")
      case name: UnresolvedAttribute if !columns.contains(name.nameParts.head) && !isOfLambda(name, text) =>
        SafeText.refuse("names a column that it does not have")
      case _: PlanExpression[_] => SafeText.refuse("has a query inside")
      case _                    =>
    }
    expr(text)
  }

  private def isOfSpark(function: UnresolvedFunction): Boolean =
    function.nameParts.size == 1 &&
      FunctionRegistry.builtin.functionExists(
        org.apache.spark.sql.catalyst.FunctionIdentifier(function.nameParts.head))

  private def named(function: UnresolvedFunction): String = s"the function ${function.nameParts.mkString(".")}"
}
