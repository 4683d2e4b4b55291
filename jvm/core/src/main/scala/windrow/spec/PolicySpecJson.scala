package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._

/** Reads windows with policies from JSON: `{"kind": "policy", "eviction": {"sliding": {"count": 3}}, "trigger":
  * {"count": 1}}`.
  */
object PolicySpecJson {

  /** @param window
    *   the object that describes the windows
    * @param timeUnit
    *   unit of durations: "us", "ms" or "s"
    */
  def read(window: ObjectNode, timeUnit: String): Either[Seq[SpecProblem], PolicyWindowSpec] = {
    val reader = new JsonReader(timeUnit)
    reader.known(window, "a policy window", Set("kind", "eviction", "trigger", "limit"))
    val read = eviction(window, reader).map(PolicyWindowSpec.check(_, limits(window, reader)))
    if (reader.problems.nonEmpty) Left(reader.problems) else read.get
  }

  /** Reads an entire spec and rejects fields that policies do not support.
    *
    * @param node
    *   contains the windows in its field `window`
    */
  def ofOperator(node: ObjectNode): Either[Seq[SpecProblem], PolicyWindowSpec] = {
    val strange = node.properties.asScala.toSeq.map(field => field.getKey -> field.getValue).collect {
      case (name, value) if !Own(name) || (name == "accumulation" && value.asText != "accumulating") =>
        SpecProblem("VALUE_NOT_SUPPORTED.POLICY", "name" -> name, "value" -> value)
    }
    val messages = Option.when(node.path("operator").asText == "full_state")(
      SpecProblem("VALUE_NOT_SUPPORTED.POLICY_MESSAGES"))
    val read  = this.read(node.get("window").asInstanceOf[ObjectNode], node.path("time_unit").asText("us"))
    val found = strange ++ messages ++ read.left.getOrElse(Nil)
    if (found.isEmpty) read else Left(found)
  }

  private val Own = Set("window", "time_unit", "operator", "accumulation")

  def isPolicy(node: JsonNode): Boolean = node.path("window").path("kind").asText == "policy"

  private def eviction(window: JsonNode, reader: JsonReader): Option[Eviction] = {
    val stated = reader.child(window, "eviction")
    val named  = stated.toSeq.flatMap(_.properties.asScala)
    named.map(entry => (entry.getKey, entry.getValue)) match {
      case Seq(("tumbling", rule)) =>
        if (window.has("trigger"))
          reader.refuse[Unit](
            "TRIGGER_ON_TUMBLING")
        if (rule.has("punctuation")) Some(Eviction.ByPunctuation(rule.get("punctuation").asText))
        else by(rule, "eviction.tumbling", reader).map(Eviction.Tumbling(_))
      case Seq(("sliding", rule)) =>
        val trigger = reader.child(window, "trigger").orElse(
          reader.refuse[JsonNode]("TRIGGER_NOT_STATED.POLICY"))
        by(rule, "eviction.sliding", reader).zip(trigger.flatMap(by(_, "trigger", reader)))
          .map { case (by, trigger) => Eviction.Sliding(by, trigger) }
      case _ =>
        reader.refuse(
          "EVICTION_UNKNOWN",
          "value" -> stated.getOrElse("missing"))
    }
  }

  private def by(rule: JsonNode, name: String, reader: JsonReader): Option[By] =
    if (rule.size == 1 && rule.has("count")) reader.count(rule, "count").map(ByCount(_))
    else if (rule.size == 1 && rule.has("time")) reader.span(rule, "time").map(ByTime(_))
    else if (rule.size == 1 && rule.path("delta").path("by").isNumber)
      Some(ByDelta(rule.path("delta").path("attribute").asText, rule.path("delta").path("by").asDouble))
    else
      reader.refuse(
        "POLICY_UNKNOWN",
        "name"  -> name,
        "value" -> rule)

  private def limits(window: JsonNode, reader: JsonReader): KeyLimits =
    reader.child(window, "limit").fold(KeyLimits.NotStated) { limit =>
      reader.known(limit, "limit", Set("idle", "max_keys", "max_rows"))
      KeyLimits(reader.span(limit, "idle"), reader.count(limit, "max_keys"), reader.count(limit, "max_rows"))
    }
}
