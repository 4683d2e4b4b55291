package windrow.spark.query

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.util.Locale
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{
  CallMethodViaReflection, Expression, PlanExpression, UserDefinedExpression
}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import scala.jdk.CollectionConverters._
import windrow.spark.functions.AggregateFunctions
import windrow.{CheckpointError, ErrorConditions}

/** Converts texts of a checkpoint to types and expressions. A checkpoint is untrusted data. Its texts may only combine
  * columns with Spark's own functions that cannot access anything else, and nothing in them is executed (SEMANTICS
  * S12).
  */
private[query] object SafeText {

  /** Functions of Spark whose arguments name a class to call or a file to read. Some access it when they are resolved.
    */
  private val Reaching = Set(
    "java_method",
    "reflect",
    "try_reflect",
    "from_avro",
    "to_avro",
    "schema_of_avro",
    "from_protobuf",
    "to_protobuf")

  private val Own = AggregateFunctions.Names.toSet

  /** Parses an expression.
    *
    * @param columns
    *   all columns that it may use
    */
  def column(session: SparkSession, text: String, columns: Seq[String]): Column = {
    parsed(session, text).foreach {
      case called: UnresolvedFunction if !isHarmless(called.nameParts) =>
        refuse("FUNCTION", "function" -> called.nameParts.mkString("."))
      case name: UnresolvedAttribute if !columns.contains(name.nameParts.head) =>
        refuse("COLUMN")
      case _: PlanExpression[_] => refuse("QUERY")
      case _                    =>
    }
    expr(text)
  }

  private def parsed(session: SparkSession, text: String): Expression =
    try session.sessionState.sqlParser.parseExpression(text)
    catch { case _: ParseException => refuse("TEXT") }

  private def isHarmless(function: Seq[String]): Boolean = {
    val name = function.last.toLowerCase(Locale.ROOT)
    function.size == 1 && (FunctionRegistry.expressions.contains(name) && !Reaching(name) || Own(name))
  }

  /** Returns the plan of a table whose columns are such texts. Fails if a function of the session has replaced one of
    * Spark's.
    */
  def checked(table: DataFrame): LogicalPlan = {
    val plan = SparkInside.plan(table)
    plan.expressions.foreach(_.foreach(check))
    plan
  }

  private def check(resolved: Expression): Unit = resolved match {
    case _: UserDefinedExpression | _: CallMethodViaReflection => refuse("FOREIGN_FUNCTION")
    case _: PlanExpression[_]                                  => refuse("QUERY")
    case _                                                     =>
  }

  /** Reads a type from its JSON. Rejects user-defined types, which would name a class. */
  def typeOf(json: String): DataType = {
    if (namesClass(new ObjectMapper().readTree(json))) refuse("TYPE")
    DataType.fromJson(json)
  }

  private def namesClass(of: JsonNode): Boolean =
    of.path("type").asText == "udt" || of.elements.asScala.exists(namesClass)

  private def refuse(part: String, parameters: (String, Any)*): Nothing =
    throw new CheckpointError(ErrorConditions.message(s"STATE_NOT_SAFE.$part", parameters: _*))
}
