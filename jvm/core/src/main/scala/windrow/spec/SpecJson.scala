package windrow

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Reads and writes a spec as JSON, the format of transcripts, Python and `_windrow_apply`.
  *
  * Durations are integers in the spec's `time_unit` ("us", "ms" or "s"; default "us"). An absent field is not set;
  * `null` means never for a trigger, and unlimited for a limit.
  */
object SpecJson {
  private val mapper = new ObjectMapper()

  private val Fields = Set(
    "operator", "time_unit", "window", "lateness", "retention", "early", "on_time", "late", "accumulation",
    "skip_unchanged", "max_future", "aggregates", "close_on", "fill_gaps", "start_offsets", "gap_values")

  def read(json: String): Either[Seq[SpecProblem], WindowOperatorDraft] =
    try mapper.readTree(json) match {
        case node: ObjectNode => read(node, Map("time_unit" -> "us"))
        case _                => Left(Seq(SpecProblem("SPEC_NOT_JSON.OBJECT")))
      }
    catch {
      case e: com.fasterxml.jackson.core.JacksonException =>
        Left(Seq(SpecProblem("SPEC_NOT_JSON.TEXT", "why" -> e.getOriginalMessage)))
    }

  /** @param outer
    *   settings of the enclosing object, for example the `time_unit` of a transcript
    */
  def read(node: ObjectNode, outer: Map[String, String]): Either[Seq[SpecProblem], WindowOperatorDraft] = {
    val reader = SharedFieldsJson.reader(node, outer)
    val draft  = read(node, reader)
    Either.cond(reader.problems.isEmpty, draft.get, reader.problems)
  }

  private def read(node: ObjectNode, reader: JsonReader): Option[WindowOperatorDraft] = {
    reader.known(node, "a spec", Fields)
    reader.child(node, "operator").map(_.asText).filter(_ != "aggregate").foreach(other =>
      reader.refuse("VALUE_NOT_SUPPORTED.OPERATOR", "value" -> other, "allowed" -> "aggregate"))
    def trigger(name: String, default: PaneTrigger): PaneTrigger =
      Option(node.get(name)).fold[Option[PaneTrigger]](Some(default))(TriggerJson.read(_, name, reader)).getOrElse(
        default)
    val window = WindowKindJson.read(node.get("window"), reader)
    val draft = WindowOperatorDraft(
      window.getOrElse(Global), // continues, to find all problems
      lateness(node, window, reader),
      trigger("early", Never),
      onTime(node, reader),
      trigger("late", EachBatch),
      reader.word(node, "accumulation", AccumulationMode.All),
      reader.flag(node, "skip_unchanged").getOrElse(false),
      reader.word(node, "close_on", CloseOn.All).getOrElse(CloseOn.Watermark),
      gaps(node, reader),
      SharedFieldsJson.retention(node, Set("time", "messages", "windows"), reader),
      reader.span(node, "max_future"),
      SharedFieldsJson.offsets(node, reader),
      GapValuesJson.read(node, reader))
    window.map(_ => draft)
  }

  /** Reads the lateness; windows on offsets count it in positions (SEMANTICS R21). */
  private def lateness(node: ObjectNode, window: Option[WindowKind], reader: JsonReader): Option[TimeSpan] =
    if (window.exists(_.isLateByOffsets) && node.hasNonNull("lateness"))
      reader.count(node, "lateness").map(TimeSpan(_))
    else SharedFieldsJson.lateness(node, reader)

  /** Reads `fill_gaps`: true is unlimited, false means never. */
  private def gaps(node: ObjectNode, reader: JsonReader): TimeSpan = {
    val value = node.path("fill_gaps")
    val read =
      if (value.isBoolean || value.isNull || value.isMissingNode) Some(FillGaps.of(value.asBoolean(false)))
      else if (value.isIntegralNumber) reader.span(node, "fill_gaps")
      else if (value.isTextual) FillGaps.parse("fill_gaps", value.asText).fold(reader.refuse[TimeSpan](_), Some(_))
      else reader.refuse[TimeSpan](FillGaps.notUnderstood("fill_gaps", value))
    read.getOrElse(TimeSpan.Zero)
  }

  /** Reads "completion", or null, which means never. */
  private def onTime(node: ObjectNode, reader: JsonReader): Boolean =
    if (!node.has("on_time")) true
    else reader.child(node, "on_time").exists { value =>
      if (value.asText != "completion")
        reader.refuse[Unit]("ON_TIME_UNKNOWN", "value" -> value)
      true
    }

  def write(draft: WindowOperatorDraft): ObjectNode = {
    val node = mapper.createObjectNode().put("operator", "aggregate").put("time_unit", "us")
    WindowKindJson.write(draft.window, node.putObject("window"))
    SharedFieldsJson.write(draft.lateness, node)
    if (draft.early != Never) node.set[JsonNode]("early", TriggerJson.write(draft.early))
    if (!draft.onTime) node.putNull("on_time")
    node.set[JsonNode]("late", TriggerJson.write(draft.late))
    draft.accumulation.foreach(mode => node.put("accumulation", JsonReader.word(mode)))
    if (draft.skipUnchanged) node.put("skip_unchanged", true)
    if (draft.closeOn != CloseOn.Watermark) node.put("close_on", draft.closeOn.toString)
    if (draft.fillGaps == TimeSpan.Endless) node.put("fill_gaps", true)
    else if (draft.fillGaps != TimeSpan.Zero) node.put("fill_gaps", draft.fillGaps.micros)
    SharedFieldsJson.write(draft.retention, node)
    draft.maxFuture.foreach(span => node.put("max_future", span.micros))
    if (draft.startOffsets.nonEmpty) SharedFieldsJson.write(draft.startOffsets, node.putObject("start_offsets"))
    draft.gapValues.foreach(GapValuesJson.write(_, node.putObject("gap_values")))
    node
  }
}
