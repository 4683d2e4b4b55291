package windrow

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import scala.jdk.CollectionConverters._

/** The spec as JSON: what transcripts, Python and `windrow_apply` write.
  *
  * Durations are whole numbers of the spec's `time_unit` ("us", "ms" or "s"; default "us"). A field left out is not
  * stated; `null` for a trigger means never.
  */
object SpecJson {
  private val mapper = new ObjectMapper()

  private val UnitMicros = Map("us" -> 1L, "ms" -> 1000L, "s" -> 1000000L)

  private val Fields = Set(
    "operator", "time_unit", "window", "lateness", "retention", "early", "on_time", "late", "accumulation",
    "fire_only_updated", "max_future", "aggregates", "complete", "fill_gaps")

  /** Fields that later operators give other values; until then only these do something here. */
  private val Fixed: Seq[(String, JsonNode => Boolean, String)] = Seq(
    ("operator", _.asText == "aggregate", "'aggregate'"),
    ("early", _.isNull, "null"),
    ("on_time", _.asText == "completion", "'completion'"),
    ("fire_only_updated", !_.asBoolean, "false"),
    ("complete", _.asText == "watermark", "'watermark'"),
    ("fill_gaps", !_.asBoolean, "false"),
    ("retention", node => node.isNull || node.elements.asScala.forall(_.isNull), "null"))

  def read(json: String): Either[Seq[SpecProblem], WindowOperatorDraft] =
    try mapper.readTree(json) match {
        case node: ObjectNode => read(node, Map("time_unit" -> "us"))
        case _                => Left(Seq(SpecProblem("SPEC_NOT_JSON", "the spec is no JSON object.")))
      }
    catch {
      case e: com.fasterxml.jackson.core.JacksonException =>
        Left(Seq(SpecProblem("SPEC_NOT_JSON", s"the spec is no JSON: ${e.getOriginalMessage}.")))
    }

  /** @param outer
    *   what the enclosing object says, for example the `time_unit` of a transcript
    */
  def read(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], WindowOperatorDraft] = {
    val reader = new Reader(Option(node.get("time_unit")).map(_.asText).getOrElse(outer.getOrElse("time_unit", "us")))
    val draft  = reader.draft(node)
    Either.cond(reader.problems.isEmpty, draft.get, reader.problems)
  }

  def write(draft: WindowOperatorDraft): ObjectNode = {
    val node   = mapper.createObjectNode().put("operator", "aggregate").put("time_unit", "us")
    val window = node.putObject("window")
    draft.window match {
      case Tumbling(size, offset) =>
        window.put("kind", "tumbling").put("size", size.micros).put("offset", offset.micros)
      case Hopping(size, step, offset) =>
        window.put("kind", "hopping").put("size", size.micros).put("step", step.micros).put("offset", offset.micros)
      case Session(gap) =>
        window.put("kind", "session")
        gap.fold(window.putNull("gap"))(span => window.put("gap", span.micros))
    }
    draft.lateness.foreach(span => node.put("lateness", span.micros))
    draft.late match {
      case Never       => node.putNull("late")
      case EachStep    => node.put("late", "each_step")
      case EachMessage => node.putObject("late").put("every_messages", 1L)
      case Every(n)    => node.putObject("late").put("every_messages", n)
    }
    draft.accumulation.foreach { case Accumulating => node.put("accumulation", "accumulating") }
    draft.maxFuture.foreach(span => node.put("max_future", span.micros))
    node
  }

  private final class Reader(timeUnit: String) {
    private val found = Seq.newBuilder[SpecProblem]

    def problems: Seq[SpecProblem] = found.result()

    private def refuse[T](code: String, text: String): Option[T] = {
      found += SpecProblem(code, text)
      None
    }

    private val unit: Long = UnitMicros.get(timeUnit).orElse(
      refuse("UNIT_UNKNOWN", s"time_unit is '$timeUnit'; allowed are ${UnitMicros.keys.mkString(", ")}.")).getOrElse(1L)

    def draft(node: ObjectNode): Option[WindowOperatorDraft] = {
      node.fieldNames.asScala.filterNot(Fields).foreach { name =>
        refuse("FIELD_UNKNOWN", s"'$name' is no field of a spec; allowed are ${Fields.toSeq.sorted.mkString(", ")}.")
      }
      for ((name, allowed, text) <- Fixed; value <- Option(node.get(name)) if !allowed(value))
        refuse("VALUE_NOT_SUPPORTED", s"$name is ${value.toString}; allowed is $text.")
      val lateness     = span(node, "lateness")
      val late         = Option(node.get("late")).fold[Option[PaneTrigger]](Some(EachStep))(trigger)
      val accumulation = Option(node.get("accumulation")).filterNot(_.isNull).flatMap(mode)
      val maxFuture    = span(node, "max_future")
      windowKind(node.get("window")).map(
        WindowOperatorDraft(_, lateness, late.getOrElse(EachStep), accumulation, maxFuture))
    }

    private def windowKind(node: JsonNode): Option[WindowKind] =
      if (node == null || !node.isObject)
        refuse("WINDOW_NOT_STATED", "window is missing; say for example Tumbling('1 minute').")
      else {
        def need(name: String) = span(node, name).orElse(
          refuse(s"${name.toUpperCase}_NOT_STATED", s"window.$name is missing; it is a duration."))
        val offset = span(node, "offset").getOrElse(TimeSpan.Zero)
        node.path("kind").asText match {
          case "tumbling" => need("size").map(Tumbling(_, offset))
          case "hopping" =>
            val (size, step) = (need("size"), need("step"))
            size.flatMap(s => step.map(Hopping(s, _, offset)))
          case "session" => Some(new Session(span(node, "gap")))
          case other =>
            refuse("WINDOW_UNKNOWN", s"window.kind is '$other'; allowed are tumbling, hopping, session.")
        }
      }

    private def trigger(node: JsonNode): Option[PaneTrigger] =
      if (node.isNull) Some(Never)
      else if (node.asText == "each_step") Some(EachStep)
      else if (node.isObject && node.path("every_messages").isIntegralNumber) node.get("every_messages").asLong match {
        case 1 => Some(EachMessage)
        case n => Some(Every(n))
      }
      else refuse(
        "TRIGGER_UNKNOWN",
        s"late is ${node.toString}; allowed are null, \"each_step\" and {\"every_messages\": n}.")

    private def mode(node: JsonNode): Option[AccumulationMode] = node.asText match {
      case "accumulating" => Some(Accumulating)
      case other          => refuse("ACCUMULATION_UNKNOWN", s"accumulation is '$other'; allowed is accumulating.")
    }

    private def span(node: JsonNode, name: String): Option[TimeSpan] =
      Option(node.get(name)).filterNot(_.isNull).flatMap {
        case number if number.isIntegralNumber && number.canConvertToLong =>
          try Some(TimeSpan(Math.multiplyExact(number.asLong, unit)))
          catch {
            case _: ArithmeticException =>
              refuse("DURATION_TOO_LONG", s"$name is $number $timeUnit, longer than 64 bits of microseconds.")
          }
        case text if text.isTextual =>
          TimeSpan.parse(text.asText).fold(
            p => refuse(p.code, s"$name: ${p.text}"),
            span => Some(span))
        case other =>
          refuse("DURATION_NOT_UNDERSTOOD", s"$name is ${other.toString}; it must be a whole number of $timeUnit.")
      }
  }
}
