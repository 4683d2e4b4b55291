package windrow.spark.sql

import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{BooleanType, StringType, StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Row, SparkSession}
import windrow.spark.arguments.TableArguments
import windrow.spark.running.{EndOfRun, ResumeCheck, RunOptions}
import windrow.spark.sinks.{PaneTraits, SinkCheck, SinkClaim, WindrowSource}

/** Table functions with which Python starts a query. Their first table is the output of the query, the second one
  * carries its sinks ([[WindrowSource]]). Spark may analyze a call several times, so a second call changes nothing.
  */
private[spark] object StartFunctions {
  val All: Seq[(String, TableFunctionBuilder)] = Seq(
    "_windrow_continues" -> (arguments => continues(new Arguments("_windrow_continues", arguments))),
    "_windrow_claim"     -> (arguments => claim(new Arguments("_windrow_claim", arguments))),
    "_windrow_end"       -> (arguments => end(new Arguments("_windrow_end", arguments))))

  private final class Arguments(function: String, expressions: Seq[Expression]) {
    private val allowed =
      Seq("checkpoint", "drain", "name", "parts", "message", "unclear", "missing", "signal")
    private val read = TableArguments.read(function, expressions, allowed, several = true).checked(function)

    val session: SparkSession              = SparkSession.active
    val checkpoint: String                 = read.values("checkpoint").toString
    def output: LogicalPlan                = read.table
    def sinks                              = WindrowSource.sinks(read.tables(1))
    def claim                              = new SinkClaim(session, checkpoint, sinks)
    def text(name: String): Option[String] = read.values.get(name).map(_.toString)
    def is(name: String): Boolean          = text(name).contains("true")
  }

  /** Checks everything that could make a start fail. Returns warnings, one in a line, whether an operator has a period,
    * and what the start will create.
    */
  private def continues(arguments: Arguments): LogicalPlan = {
    val panes    = PaneTraits(arguments.is("parts"), arguments.is("message"), arguments.text("unclear"))
    val start    = RunOptions(arguments.checkpoint, drain = arguments.is("drain"), name = arguments.text("name"))
    val warnings = SinkCheck(arguments.session, arguments.output, arguments.sinks, panes, start)
    row(
      "warnings"    -> warnings.mkString("\n"),
      "has_periods" -> ResumeCheck.hasPeriods(arguments.output),
      "missing"     -> arguments.claim.missing.json)
  }

  /** Creates what a start creates before Spark starts the query, and returns the id of the query. With `missing`, the
    * result of `_windrow_continues`, it is removed instead.
    */
  private def claim(arguments: Arguments): LogicalPlan = row("query" -> arguments.text("missing").fold(
    arguments.claim.take(arguments.output, arguments.is("drain"))) { made =>
    arguments.claim.giveBack(SinkClaim.MissingTargets.read(made))
    ""
  })

  /** Creates the folder that ends a query, and returns whether it has the end. With `signal`, the end is written before,
    * unless the run was stopped.
    */
  private def end(arguments: Arguments): LogicalPlan = {
    val end = new EndOfRun(arguments.session, arguments.checkpoint)
    if (arguments.is("signal")) end.signal(): Unit
    row("folder" -> end.folder, "is_signaled" -> end.isSignaled)
  }

  private def row(values: (String, Any)*): LogicalPlan = SparkInside.table(
    StructType(values.map { case (name, value) =>
      StructField(name, if (value.isInstanceOf[Boolean]) BooleanType else StringType)
    }),
    Seq(Row.fromSeq(values.map(_._2))))
}
