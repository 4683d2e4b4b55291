package windrow.spark.wire

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow._
import windrow.spark.aggregate.Aggregates
import windrow.spark.dedup.Dedup
import windrow.spark.fullstate.FullState
import windrow.spark.output.OutputKind
import windrow.spark.pattern.Matches
import windrow.spark.policy.Policies
import windrow.spark.stream.{StreamOperator, StreamOptions}
import windrow.spark.watermark.EventWatermark

/** Reads the JSON of `_windrow_apply`: a spec (see [[OperatorJson]]) with the additional fields `stream` and `output`.
  */
private[spark] object StreamJson {
  private val OriginFields = Seq("source", "partition", "offset")

  def apply(node: ObjectNode): Either[Seq[SpecProblem], (StreamOperator, StreamOptions)] = {
    val spec   = node.deepCopy()
    val stream = Option(spec.remove("stream"))
    val kinds  = if (dedups(node) || matches(node)) OutputKind.OfRows else OutputKind.OfStream
    val output = Option(spec.remove("output")).fold(kinds.head.toString)(_.asText)
    val kind   = kinds.find(_.toString == output)
    val read = if (PolicySpecJson.isPolicy(spec)) PolicySpecJson.ofOperator(spec).map(Policies(_))
    else OperatorJson.read(spec, Map.empty).flatMap(inQueries)
    val watermark           = stream.fold[Watermark](Right(None))(this.watermark)
    val processingTimeDelay = stream.flatMap(this.processingTimeDelay)
    val ofInvalid           = stream.flatMap(field(_, "invalid")).map(invalid)
    val found = read.left.getOrElse(Nil) ++ ofInvalid.flatMap(_.left.toOption) ++ watermark.left.getOrElse(
      Nil) ++ processingTimeDelay.flatMap(_.left.toOption) ++
      Option.when(kind.isEmpty)(
        SpecProblem.unknown("output", output, kinds))
    Either.cond(
      found.isEmpty,
      read.toOption.get -> StreamOptions(
        stream.flatMap(field(_, "time")).map(_.asText),
        stream.flatMap(field(_, "gap")).map(_.asText),
        OriginFields.flatMap(name => stream.flatMap(field(_, name)).map(name -> _.asText)).toMap,
        watermark.toOption.flatten,
        processingTimeDelay.flatMap(_.toOption),
        stream.flatMap(field(_, "name")).map(_.asText).getOrElse("messages"),
        kind.get,
        names(node, "index").getOrElse(Nil),
        ofInvalid.flatMap(_.toOption).getOrElse(InvalidMessages.Reject)),
      found)
  }

  private def inQueries(operator: CheckedSpec): Either[Seq[SpecProblem], StreamOperator] =
    operator match {
      case CheckedSpec.Aggregate(spec) => Right(Aggregates(spec))
      case CheckedSpec.FullState(spec) => Right(FullState(spec))
      case CheckedSpec.Dedup(spec)     => Right(Dedup(spec))
      case CheckedSpec.Match(spec)     => Right(Matches(spec))
      case _ => Left(Seq(SpecProblem(
          "VALUE_NOT_SUPPORTED.SEVERAL_STREAMS")))
    }

  /** Whether the query keeps rows instead of aggregating them. */
  def keepsMessages(node: ObjectNode): Boolean = node.path("operator").asText == "full_state"

  def dedups(node: ObjectNode): Boolean = node.path("operator").asText == "dedup"

  def matches(node: ObjectNode): Boolean = node.path("operator").asText == "match"

  /** Returns the draft of a search for a pattern, or None if the JSON describes something else. */
  def matchDraft(node: ObjectNode): Option[MatchDraft] = Option.when(matches(node))(node.deepCopy()).flatMap { spec =>
    spec.remove(java.util.List.of("stream", "output"))
    OperatorJson.matching(spec, Map.empty).toOption
  }

  private def names(node: ObjectNode, field: String): Option[Seq[String]] =
    Option(node.path("stream").get(field)).map(JsonReader.texts)

  /** Returns the name of the spec in error messages. */
  def nameForErrors(node: ObjectNode): String = {
    val spec = node.deepCopy()
    spec.remove("stream")
    spec.remove("output")
    spec.remove("operator")
    if (PolicySpecJson.isPolicy(spec)) "Policy"
    else if (dedups(node)) "dedup"
    else if (matches(node)) "match"
    else SpecJson.read(spec, Map.empty).fold(_ => "the spec", _.window.toString)
  }

  private def field(node: JsonNode, name: String): Option[JsonNode] = Option(node.get(name)).filterNot(_.isNull)

  private val ProcessingTimeDelay = "processing_time_watermark"

  /** Reads the delay of a watermark that follows processing time. */
  def processingTimeDelay(stream: JsonNode): Option[Either[SpecProblem, TimeSpan]] =
    field(stream, ProcessingTimeDelay).map(duration(ProcessingTimeDelay, _))

  type Watermark = Either[Seq[SpecProblem], Option[EventWatermark]]

  /** Reads the watermark of a stream: `watermark` and `idle` in microseconds, and `watermark_partitions`, the number of
    * expected partitions. A table contains the partitions as a marked column.
    */
  def watermark(stream: JsonNode): Watermark = {
    val spans = Seq("watermark", "idle").flatMap(name => field(stream, name).map(duration(name, _)).map(name -> _))
    val wrong = spans.flatMap(_._2.left.toOption)
    def span(name: String) = spans.toMap.get(name).flatMap(_.toOption)
    val partitions         = field(stream, "watermark_partitions").map(_.asLong)
    val (found, mark)      = EventWatermark.of(span("watermark"), span("idle"), partitions.isDefined, partitions)
    Either.cond(wrong.isEmpty && found.isEmpty, mark, if (wrong.isEmpty) found else wrong)
  }

  def invalid(node: JsonNode): Either[SpecProblem, InvalidMessages] =
    InvalidMessages.All.find(_.toString == node.asText)
      .toRight(SpecProblem.unknown("invalid", node.asText, InvalidMessages.All))

  /** Reads a duration that must not be negative, as text or in microseconds. */
  def duration(name: String, node: JsonNode): Either[SpecProblem, TimeSpan] = {
    val span =
      if (node.isIntegralNumber) TimeSpan.of(BigInt(node.bigIntegerValue), name) else TimeSpan.parse(node.asText)
    span.filterOrElse(
      _.micros >= 0,
      SpecProblem(
        "WATERMARK_NEGATIVE",
        "name"  -> name,
        "value" -> span.fold(_ => node.asText, _.toString)))
  }
}
