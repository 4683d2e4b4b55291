package windrow.spark.wire

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow.spark.arguments.TableArguments
import windrow.spark.dedup.Dedup
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.AggregateParts
import windrow.spark.pattern.Matches
import windrow.spark.query.{LookupKind, LookupStream}
import windrow.spark.stream.WindowQuery
import windrow.{JsonReader, SpecError, SpecProblem}

/** Plans `_windrow_apply(TABLE(...), spec => JSON)`, which Python's builders call. */
private[spark] object ApplyFunction {
  val Name = "_windrow_apply"

  private val mapper = new ObjectMapper()

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments = TableArguments.read(Name, expressions, Seq("spec"), several = true).checked(Name)
    val session   = SparkSession.active
    val node = arguments.values.get("spec") match {
      case Some(json: String) => parse(Name, json)
      case _                  => throw SpecError(Name, Seq(SpecProblem("SPEC_MISSING")))
    }
    node.path("operator").asText match {
      case "cogroup" => SeveralJson.coGroup(session, node, arguments.tables)
      case "join"    => SeveralJson.join(session, node, arguments.tables)
      case _ =>
        val asking = Option(node.remove("ask")).map(asked(_, arguments.tables.last))
        overOne(session, node, if (asking.isEmpty) arguments.only(Name) else arguments.table, asking)
    }
  }

  private def overOne(session: SparkSession, node: ObjectNode, table: LogicalPlan, asking: Option[LookupStream]) = {
    val options = StreamJson(node)
    val parts =
      if (StreamJson.keepsMessages(node)) FullStateParts.of(session, table, None)
      else if (StreamJson.dedups(node)) Dedup.parts(session, table, None)
      else if (StreamJson.matches(node)) Matches.parts(session, table, None)
      else AggregateParts.ofGrouping(table)
    WindowQuery.plan(
      session,
      StreamJson.nameForErrors(node),
      Matches.withTexts(session, options, StreamJson.matchDraft(node), parts._2),
      parts,
      asking)
  }

  /** Reads `{"what": "messages" | "windows", "key": [names], "by": [names]}`. */
  private def asked(node: JsonNode, table: LogicalPlan): LookupStream = {
    def names(field: String) = JsonReader.texts(node.path(field))
    val what = if (node.path("what").asText == LookupKind.Windows.column) LookupKind.Windows else LookupKind.Messages
    LookupStream(what, names("key"), names("by"), table)
  }

  /** Parses a spec.
    *
    * @param function
    *   the function that received it
    * @throws SpecError
    *   if it is not a JSON object
    */
  private[wire] def parse(function: String, json: String): ObjectNode = {
    def notJson(why: String) = SpecError(function, Seq(SpecProblem("SPEC_NOT_JSON.TEXT", "why" -> why)))
    try mapper.readTree(json) match {
        case node: ObjectNode => node
        case _                => throw notJson("it is not a JSON object")
      }
    catch { case e: JacksonException => throw notJson(e.getOriginalMessage) }
  }
}
