package windrow.spark.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.windrow.{QueryClock, SparkInside}
import org.apache.spark.sql.{Row, SparkSession}
import windrow._
import windrow.spark.arguments.TableArguments
import windrow.spark.cogroup.CoGroupSql
import windrow.spark.dedup.DedupSql
import windrow.spark.join.{AsofJoinSql, JoinSql}
import windrow.spark.pattern.MatchSql
import windrow.spark.policy.PolicySql
import windrow.spark.running.{BoundedInput, ControlFolder}
import windrow.spark.wire.{ApplyFunction, SpecFunctions}

/** The table functions through which all window queries enter Spark. */
object TableFunctions {

  /** Returns the name and builder of each function.
    *
    * @param version
    *   the version of the JAR
    */
  def all(version: String): Seq[(FunctionIdentifier, ExpressionInfo, TableFunctionBuilder)] =
    Seq(
      described(ApplyFunction.Name, ApplyFunction.plan),
      described("windrow_version", _ => text("version", Some(version))),
      described("windrow_until", ofFolder("windrow_until", BoundedInput(_, _, _))),
      described(ControlFolder.Name, ofFolder(ControlFolder.Name, ControlFolder(_, _, _))),
      described(Clock, clock),
      described(CausesFunction.Name, CausesFunction.plan),
      described(VerifyFunction.Name, VerifyFunction.plan),
      described(AccelerationFunction.Name, AccelerationFunction.plan),
      described(JoinSql.Name, JoinSql.plan),
      described(AsofJoinSql.Name, AsofJoinSql.plan),
      described(CoGroupSql.Name, CoGroupSql.plan),
      described(PolicySql.Name, PolicySql.plan),
      described(DedupSql.Name, DedupSql.plan),
      described(MatchSql.Name, MatchSql.plan)) ++
      WindowArguments.All.map(one => described(Usage.info(one.function), one.plan)) ++
      (StateFunctions.Advise +: (StateFunctions.All ++ StartFunctions.All ++ SpecFunctions.All)).map {
        case (name, builder) =>
          described(name, builder)
      }

  private type Described = (FunctionIdentifier, ExpressionInfo, TableFunctionBuilder)

  private def described(name: String, builder: TableFunctionBuilder): Described = described(Usage.info(name), builder)

  private def described(info: ExpressionInfo, builder: TableFunctionBuilder): Described =
    (FunctionIdentifier(info.getName), info, Usage.refusing(builder))

  private def text(name: String, value: Option[String]): LogicalPlan =
    SparkInside.table(new StructType().add(name, StringType), Seq(Row(value.orNull)))

  /** Plans a function of a query and a folder, `(TABLE(...), folder => '...')`. Files in the folder end the input of the
    * query, or drive it step by step.
    */
  private def ofFolder(function: String, plan: (SparkSession, LogicalPlan, String) => LogicalPlan)(
      expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(function, expressions, Seq("folder")).checked(function)
    val folder    = arguments.values.getOrElse("folder", throw SpecError(function, Seq(SpecProblem("FOLDER_MISSING"))))
    plan(SparkSession.active, arguments.table, folder.toString)
  }

  /** Plans `_windrow_clock(query => id, millis => n)`, which is for tests. Sets the processing time that a running
    * query of the session reads, if `millis` is given. Returns the watermark of the query's last micro-batch as text,
    * or null without an event-time watermark. A session must allow it explicitly, because windows of a query in
    * production would fire at the wrong times.
    */
  private def clock(expressions: Seq[Expression]): LogicalPlan = {
    val session = SparkSession.active
    val values = expressions.collect { case NamedArgumentExpression(name, value) =>
      name -> value.eval().toString
    }.toMap
    if (session.conf.get(Testing, "false") != "true")
      throw SpecError(Clock, Seq(SpecProblem("CLOCK_IN_TESTS_ALONE", "setting" -> Testing)))
    val query = StateFunctions.running(session, values.getOrElse("query", ""))
    values.get("millis").foreach(millis => QueryClock.set(query, millis.toLong))
    text("watermark", Option(query.lastProgress).flatMap(last => Option(last.eventTime.get("watermark"))))
  }

  private val Clock = "_windrow_clock"

  /** The Spark setting that marks the session of a test, which may set the clocks of its queries. */
  private val Testing = "spark.windrow.testing"
}
