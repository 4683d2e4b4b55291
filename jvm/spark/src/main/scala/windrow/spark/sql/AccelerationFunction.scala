package windrow.spark.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Row, SparkSession}
import windrow.spark.accelerate.{Acceleration, AccelerationRule}
import windrow.spark.arguments.{NamedConstants, TableArguments}
import windrow.{SpecError, SpecProblem}

/** Plans `windrow_explain_acceleration(TABLE(…), output_mode => 'update')`, or with `query => id` for a running query.
  * Returns a row for each stateful operator, the one nearest to the sink first.
  */
private[spark] object AccelerationFunction {
  val Name = "windrow_explain_acceleration"

  private val Modes = Seq(OutputMode.Append(), OutputMode.Update(), OutputMode.Complete())

  private val Columns = StructType.fromDDL("name string, operator string, accelerated boolean, code string, why string")

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val session = SparkSession.active
    val isQuery =
      expressions.exists { case NamedArgumentExpression(name, _) => name.equalsIgnoreCase("query"); case _ => false }
    rows(if (isQuery) ofQuery(session, expressions) else ofTable(session, expressions))
  }

  private def ofQuery(session: SparkSession, expressions: Seq[Expression]): Acceleration = {
    val (values, found) = NamedConstants.literals(expressions, Seq("query"))
    if (found.nonEmpty) throw SpecError(Name, found)
    AccelerationRule.explain(StateFunctions.running(session, values.get("query").fold("")(_.value.toString)))
  }

  private def ofTable(session: SparkSession, expressions: Seq[Expression]): Acceleration = {
    val arguments = TableArguments.read(Name, expressions, Seq("output_mode")).checked(Name)
    val stated    = arguments.values.get("output_mode").fold("append")(_.toString)
    val mode = Modes.find(_.toString.equalsIgnoreCase(stated)).getOrElse(throw SpecError(
      Name,
      Seq(SpecProblem(
        "ARGUMENT_NOT_UNDERSTOOD",
        "name"     -> "output_mode",
        "value"    -> s"'$stated'",
        "expected" -> "'append', 'update', or 'complete'"))))
    AccelerationRule.explain(session, arguments.table, mode)
  }

  private def rows(made: Acceleration): LogicalPlan = SparkInside.table(
    Columns,
    made.operators.map(one =>
      Row(one.name, one.operator, one.isAccelerated, one.reason.map(_.code).orNull, one.reason.map(_.text).orNull)))
}
