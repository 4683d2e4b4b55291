package windrow.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import windrow._
import windrow.spark.arguments.TableArguments
import windrow.spark.cogroup.CoGroupSql
import windrow.spark.join.JoinSql
import windrow.spark.policy.PolicySql
import windrow.spark.wire.Apply
import windrow.spark.wire.SpecFunctions
import windrow.spark.running.BoundedInput

/** The one way of a window query into Spark: table functions over an aggregation. */
object TableFunctions {

  /** Name and builder of each.
    *
    * @param version
    *   of the JAR
    */
  def all(version: String): Seq[(FunctionIdentifier, ExpressionInfo, TableFunctionBuilder)] =
    Seq(
      described(Apply.Name, Apply.plan),
      described("windrow_version", _ => shown(version)),
      described("windrow_until", until),
      described(VerifyFunction.Name, VerifyFunction.plan),
      described(JoinSql.Name, JoinSql.plan),
      described(CoGroupSql.Name, CoGroupSql.plan),
      described(PolicySql.Name, PolicySql.plan)) ++
      WindowArguments.All.map(one => described(one.name, one.plan)) ++
      (StateFunctions.Continues +: (StateFunctions.All ++ SpecFunctions.All)).map { case (name, builder) =>
        described(name, builder)
      }

  private def described(name: String, builder: TableFunctionBuilder) =
    (FunctionIdentifier(name), Usage.info(name, WindowKind.Forms), Usage.refusing(builder))

  private def shown(version: String): LogicalPlan = LocalRelation(
    Seq(AttributeReference("version", StringType, nullable = false)()),
    Seq(org.apache.spark.sql.catalyst.InternalRow(UTF8String.fromString(version))))

  /** `windrow_until(TABLE(...), folder => '...')`: the query in the table, ended by a line of text in the folder. */
  private def until(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read("windrow_until", expressions, Seq("folder")).checked("windrow_until")
    val folder = arguments.values.getOrElse(
      "folder",
      throw SpecError(
        "windrow_until",
        Seq(SpecProblem("FOLDER_MISSING"))))
    BoundedInput(SparkSession.active, arguments.table, folder.toString)
  }
}
