package windrow.spark.plan

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow._

/** Reads the JSON of `windrow_apply`: a spec (see [[SpecJson]]) with `stream` and `output` beside its fields. */
object OptionsReader {
  private val Outputs = Map("panes" -> PanesOutput, "rejected" -> RejectedOutput, "all" -> AllOutput)

  private val Origin = Map("source" -> "source", "partition" -> "partition", "offset_column" -> "offset")

  def apply(node: ObjectNode): Either[Seq[SpecProblem], QueryOptions] = {
    val spec   = node.deepCopy()
    val stream = Option(spec.remove("stream"))
    val output = Option(spec.remove("output")).map(_.asText).getOrElse("panes")
    val draft  = SpecJson.read(spec, Map.empty).flatMap(_.check)
    val mark   = stream.flatMap(field(_, "watermark")).map(duration)
    val found = draft.left.getOrElse(Nil) ++ mark.flatMap(_.left.toOption) ++
      Option.when(!Outputs.contains(output))(
        SpecProblem("OUTPUT_UNKNOWN", s"output is '$output'; allowed are ${Outputs.keys.mkString(", ")}."))
    Either.cond(
      found.isEmpty,
      QueryOptions(
        draft.toOption.get,
        stream.flatMap(field(_, "time")).map(_.asText),
        stream.flatMap(field(_, "gap")).map(_.asText),
        Origin.flatMap { case (name, as) => stream.flatMap(field(_, name)).map(as -> _.asText) },
        mark.flatMap(_.toOption),
        stream.flatMap(field(_, "name")).map(_.asText).getOrElse("messages"),
        Outputs(output)),
      found)
  }

  /** What a message about this spec calls it. */
  def subject(node: ObjectNode): String = {
    val spec = node.deepCopy()
    spec.remove("stream")
    spec.remove("output")
    SpecJson.read(spec, Map.empty).fold(_ => "the spec", _.window.toString)
  }

  private def field(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  private def duration(node: JsonNode): Either[SpecProblem, TimeSpan] = {
    val span = if (node.isIntegralNumber) Right(TimeSpan(node.asLong)) else TimeSpan.parse(node.asText)
    span.filterOrElse(
      _.micros >= 0,
      SpecProblem("WATERMARK_NEGATIVE", s"watermark is '${node.asText}'; it must be '0 seconds' or longer."))
  }
}
