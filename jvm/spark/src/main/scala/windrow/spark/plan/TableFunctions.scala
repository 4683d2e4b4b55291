package windrow.spark.plan

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
import windrow.spark.WindrowVersion

/** The one way of a window query into Spark: table functions over an aggregation. */
object TableFunctions {
  private val mapper = new ObjectMapper()

  private val Common = Seq("time", "lateness", "late", "accumulate", "max_future", "watermark", "stream", "output")

  /** Name and builder of each. */
  val all: Seq[(FunctionIdentifier, ExpressionInfo, TableFunctionBuilder)] = Seq(
    described("windrow_apply", applied),
    described("windrow_tumble", window("windrow_tumble", "tumbling", Seq("size", "offset"))),
    described("windrow_hop", window("windrow_hop", "hopping", Seq("size", "step", "offset"))),
    described("windrow_session", window("windrow_session", "session", Seq("gap"))),
    described("windrow_version", _ => version))

  private def described(name: String, builder: TableFunctionBuilder) =
    (FunctionIdentifier(name), new ExpressionInfo(classOf[LogicalPlan].getName, name), builder)

  private def version: LogicalPlan = LocalRelation(
    Seq(AttributeReference("version", StringType, nullable = false)()),
    Seq(org.apache.spark.sql.catalyst.InternalRow(UTF8String.fromString(WindrowVersion.value))))

  /** `windrow_apply(TABLE(...), spec => JSON)`, by which the builders come in. */
  private def applied(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read("windrow_apply", expressions, Seq("spec"))
    val node = arguments.values.get("spec") match {
      case Some(json: String) => parse(json)
      case _ =>
        throw SpecError("windrow_apply", Seq(SpecProblem("SPEC_MISSING", "say spec => '{…}', the JSON of a spec.")))
    }
    build(node, arguments.table)
  }

  private def parse(json: String): ObjectNode =
    try mapper.readTree(json) match {
        case node: ObjectNode => node
        case _                => throw notJson("it is no JSON object")
      }
    catch { case e: com.fasterxml.jackson.core.JacksonException => throw notJson(e.getOriginalMessage) }

  private def notJson(why: String) =
    SpecError("windrow_apply", Seq(SpecProblem("SPEC_NOT_JSON", s"the spec cannot be read: $why.")))

  private def window(function: String, kind: String, names: Seq[String])(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(function, expressions, names ++ Common)
    val node      = mapper.createObjectNode()
    val window    = node.putObject("window").put("kind", kind)
    def put(to: ObjectNode, name: String, value: Any): Unit = value match {
      case TimeSpan(micros) => to.put(name, micros); ()
      case number: Long     => to.put(name, number.toString); () // refused: it has no unit
      case other            => to.put(name, other.toString); ()
    }
    val gapColumn = arguments.values.get("gap").collect { case name: String if TimeSpan.parse(name).isLeft => name }
    names.filterNot(_ == "gap" && gapColumn.isDefined).foreach(name =>
      arguments.values.get(name).foreach(put(window, name, _)))
    Seq("lateness", "max_future").foreach(name => arguments.values.get(name).foreach(put(node, name, _)))
    arguments.values.get("late").foreach(late(node, _))
    arguments.values.get("accumulate").foreach(mode => node.put("accumulation", mode.toString.toLowerCase))
    val stream = node.putObject("stream")
    arguments.values.get("time").foreach(name => stream.put("time", name.toString))
    gapColumn.foreach(stream.put("gap", _))
    arguments.values.get("stream").foreach(name => stream.put("name", name.toString))
    arguments.values.get("watermark").foreach(put(stream, "watermark", _))
    arguments.values.get("output").foreach(kind => node.put("output", kind.toString))
    build(node, arguments.table)
  }

  private def late(node: ObjectNode, value: Any): Unit = value match {
    case "never"        => node.putNull("late"); ()
    case "each_message" => node.putObject("late").put("every_messages", 1L); ()
    case number: Long   => node.putObject("late").put("every_messages", number); ()
    case other          => node.put("late", other.toString); ()
  }

  private def build(node: ObjectNode, table: LogicalPlan): LogicalPlan =
    WindowQuery.plan(SparkSession.active, OptionsReader.subject(node), OptionsReader(node), table)
}
