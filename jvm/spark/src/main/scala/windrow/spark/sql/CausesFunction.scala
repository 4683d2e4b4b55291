package windrow.spark.sql

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.util.UUID
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.{LiveRuns, SparkInside}
import org.apache.spark.sql.{Row, SparkSession}
import scala.jdk.CollectionConverters._
import windrow.spark.gauges.{Cause, Causes, Facts, WaitingPanesReader}

/** Plans `_windrow_causes('json')`, which `wr.whyNoOutput` calls: the facts about a query as JSON, with times in
  * microseconds, the ids of the query and of its run, and its checkpoint. Returns a row for each cause.
  */
private[spark] object CausesFunction {
  val Name = "_windrow_causes"

  private val Columns = StructType.fromDDL("code string, meaning string, remedy string")

  def plan(expressions: Seq[Expression]): LogicalPlan = SparkInside.table(
    Columns,
    causes(new ObjectMapper().readTree(expressions.head.eval().toString)).map(cause =>
      Row(cause.code, cause.meaning, cause.remedy)))

  private def causes(json: JsonNode): Seq[Cause] = {
    def id(name: String) = UUID.fromString(json.path(name).asText)
    val live             = LiveRuns.of(SparkSession.active).get(id("id"), id("runId"))
    val checkpoint       = Option(json.path("checkpoint").textValue)
    val found = facts(json).withOperators(
      fields(json.path("operators"))(fields(_)(_.asLong)),
      fields(json.path("open"))(_.asLong),
      live.map(_.plan))
    Causes.of(found.copy(waiting = checkpoint.flatMap(WaitingPanesReader.of(SparkSession.active, _, found.examined))))
  }

  private def facts(json: JsonNode): Facts = Facts(
    isActive = json.path("isActive").asBoolean,
    error = Option(json.path("error").textValue),
    batch = number(json.path("batch")),
    counts = fields(json.path("counts"))(_.asLong),
    watermark = number(json.path("watermark")),
    newest = number(json.path("newest")),
    inputs = fields(json.path("inputs"))(number),
    heldBackBy = Option(json.path("heldBackBy").textValue),
    quiet = fields(json.path("quiet"))(_.asInt),
    isBusy = json.path("isBusy").asBoolean,
    runsWithoutData = json.path("runsWithoutData").asBoolean,
    now = json.path("now").asLong)

  private def number(json: JsonNode): Option[Long] = Option.when(json.isNumber)(json.asLong)

  private def fields[T](json: JsonNode)(read: JsonNode => T): Map[String, T] =
    json.fieldNames.asScala.map(name => name -> read(json.get(name))).toMap
}
