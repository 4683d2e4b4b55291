package windrow.spark.sql

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
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
import windrow.spark.cogroup.CoGroupPlan
import windrow.spark.cogroup.CoGroupSql
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.AggregateParts
import windrow.spark.join.JoinOptions
import windrow.spark.join.JoinQuery
import windrow.spark.join.JoinSql
import windrow.spark.policy.PolicySql
import windrow.spark.query.Asking
import windrow.spark.running.BoundedInput
import windrow.spark.stream.WindowQuery

/** The one way of a window query into Spark: table functions over an aggregation. */
object TableFunctions {
  private val mapper  = new ObjectMapper()
  private val Applied = "windrow_apply"

  /** Name and builder of each.
    *
    * @param version
    *   of the JAR
    */
  def all(version: String): Seq[(FunctionIdentifier, ExpressionInfo, TableFunctionBuilder)] =
    Seq(
      described(Applied, applied),
      described("windrow_version", _ => shown(version)),
      described("windrow_until", until),
      described(JoinSql.Name, joined),
      described(CoGroupSql.Name, coGrouped),
      described(PolicySql.Name, policy)) ++
      SqlSpec.All.map(spec => described(spec.name, window(spec))) ++
      (StateFunctions.Continues +: (StateFunctions.All ++ SpecFunctions.All)).map { case (name, builder) =>
        described(name, builder)
      }

  private def described(name: String, builder: TableFunctionBuilder) =
    (FunctionIdentifier(name), new ExpressionInfo(classOf[LogicalPlan].getName, name), builder)

  private def shown(version: String): LogicalPlan = LocalRelation(
    Seq(AttributeReference("version", StringType, nullable = false)()),
    Seq(org.apache.spark.sql.catalyst.InternalRow(UTF8String.fromString(version))))

  /** `windrow_apply(TABLE(...), spec => JSON)`, by which the builders come in. */
  private def applied(expressions: Seq[Expression]): LogicalPlan = {
    val arguments =
      TableArguments.read(Applied, expressions, Seq("spec"), several = true).checked(Applied)
    val node = arguments.values.get("spec") match {
      case Some(json: String) => parse(json)
      case _ =>
        throw SpecError(Applied, Seq(SpecProblem("SPEC_MISSING", "say spec => '{…}', the JSON of a spec.")))
    }
    if (CoGroupPlan.isCoGroup(node)) CoGroupPlan.marked(SparkSession.active, node, arguments.tables)
    else if (JoinOptions.isJoin(node)) JoinQuery.marked(SparkSession.active, node, arguments.tables)
    else Option(node.remove("ask")) match {
      case Some(ask) => build(node, arguments.table, asking = Some(Asking.read(ask, arguments.tables.last)))
      case None      => build(node, arguments.only(Applied))
    }
  }

  private def parse(json: String): ObjectNode =
    try mapper.readTree(json) match {
        case node: ObjectNode => node
        case _                => throw notJson("it is no JSON object")
      }
    catch { case e: com.fasterxml.jackson.core.JacksonException => throw notJson(e.getOriginalMessage) }

  private def notJson(why: String) =
    SpecError(Applied, Seq(SpecProblem("SPEC_NOT_JSON", s"the spec cannot be read: $why.")))

  /** `windrow_until(TABLE(...), folder => '...')`: the query in the table, ended by a line of text in the folder. */
  private def until(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read("windrow_until", expressions, Seq("folder")).checked("windrow_until")
    val folder = arguments.values.getOrElse(
      "folder",
      throw SpecError(
        "windrow_until",
        Seq(SpecProblem("FOLDER_MISSING", "say folder => '…', where the end comes from."))))
    BoundedInput(SparkSession.active, arguments.table, folder.toString)
  }

  private def window(spec: SqlSpec)(expressions: Seq[Expression]): LogicalPlan = {
    val arguments     = TableArguments.read(spec.name, expressions, spec.allowed)
    val (node, wrong) = spec.json(arguments)
    build(node, arguments.table, spec.name, arguments.problems ++ wrong)
  }

  private def policy(expressions: Seq[Expression]): LogicalPlan = {
    val arguments     = TableArguments.read(PolicySql.Name, expressions, PolicySql.Allowed)
    val (node, wrong) = PolicySql.json(arguments.values)
    build(node, arguments.table, PolicySql.Name, arguments.problems ++ wrong)
  }

  private def joined(expressions: Seq[Expression]): LogicalPlan =
    JoinQuery.said(SparkSession.active, TableArguments.read(JoinSql.Name, expressions, JoinSql.Allowed))

  private def coGrouped(expressions: Seq[Expression]): LogicalPlan = CoGroupSql.plan(
    SparkSession.active,
    TableArguments.read(CoGroupSql.Name, expressions, CoGroupSql.Allowed, several = true))

  /** @param wrong
    *   what is wrong already with the arguments of an SQL function
    */
  private def build(
      node: ObjectNode,
      table: LogicalPlan,
      function: String = Applied,
      wrong: Seq[SpecProblem] = Nil,
      asking: Option[Asking] = None): LogicalPlan = {
    val session = SparkSession.active
    val parts = if (OptionsReader.keepsMessages(node)) FullStateParts.of(session, table, OptionsReader.key(node))
    else if (function == Applied) AggregateParts.ofGrouping(table)
    else AggregateParts.of(table)
    val read    = OptionsReader(node)
    val options = if (wrong.isEmpty) read else Left(wrong ++ read.left.getOrElse(Nil))
    WindowQuery.plan(session, if (wrong.isEmpty) OptionsReader.subject(node) else function, options, parts, asking)
  }
}
