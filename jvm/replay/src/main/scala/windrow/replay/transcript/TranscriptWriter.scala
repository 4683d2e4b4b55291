package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode}

/** Writes a case as the JSON of tests/transcripts/README.md, on one line, in the case's own unit of time. */
object TranscriptWriter {
  private[windrow] val json = JsonNodeFactory.instance

  private[windrow] def array[T](all: Iterable[T])(one: T => JsonNode): ArrayNode =
    all.foldLeft(json.arrayNode)((array, item) => array.add(one(item)))

  def write(transcript: TranscriptCase): String = {
    val steps = new StepWriter(new UnitJson(transcript.timeUnit, transcript.specJson))
    val node  = json.objectNode.put("id", transcript.id)
    transcript.source.foreach(node.put("source", _))
    node.put("time_unit", transcript.timeUnit.name).set[ObjectNode]("spec", transcript.specJson)
    transcript.refused.foreach(node.put("refused", _))
    if (transcript.refused.isEmpty)
      node.set[ObjectNode]("steps", array(transcript.steps)(steps.step))
    transcript.atEnd.foreach(end => node.set[ObjectNode]("at_end", steps.end(end)))
    node.toString
  }
}

private[windrow] final class StepWriter(unit: UnitJson) {
  import TranscriptWriter.{array, json}

  private val results = new ResultWriter(unit)

  def step(step: Step): JsonNode = step match {
    case Step.Restart => json.objectNode.put("restart", true)
    case Step.Ask(asked, expected) =>
      val node = json.objectNode
      query(asked, node.putObject("query"))
      expected.foreach(answer => node.set[ObjectNode]("expect", results.answer(answer)))
      node
    case feed: Step.Feed =>
      val node = json.objectNode
      node.set[ObjectNode]("messages", array(feed.messages)(message))
      if (feed.punctuation) node.put("punctuation", true)
      feed.watermark.foreach(w => node.set[ObjectNode]("watermark", unit.timeNode(w)))
      feed.processingTime.foreach(p => node.set[ObjectNode]("processing_time", unit.timeNode(p)))
      results.expected(node, feed.expected)
      node
  }

  def end(end: AtEnd): JsonNode = {
    val node = json.objectNode.put("final", end.isFinal)
    results.expected(node, end.expected)
    node
  }

  private def query(query: Query, node: ObjectNode): Unit = query match {
    case Query.Counters =>
      node.put("counters", true)
      ()
    case Query.GetWindows(start, end, key) =>
      val range = node.putObject("get_windows")
      range.set[ObjectNode]("start", unit.boundNode(start))
      range.set[ObjectNode]("end", unit.boundNode(end))
      key.foreach(key => range.set[ObjectNode]("key", key.toJson))
    case Query.GetMessages(start, end, key, axis) =>
      val range = node.putObject("get_messages")
      def position(at: Option[Long]) = at.fold[JsonNode](json.nullNode)(at =>
        if (axis == Query.ByTime) unit.timeNode(at) else json.numberNode(at))
      range.set[ObjectNode]("start", position(start))
      range.set[ObjectNode]("end", position(end))
      key.foreach(key => range.set[ObjectNode]("key", key.toJson))
      if (axis == Query.ByOffset) range.put("axis", "offset")
      ()
  }

  private def message(message: Message): JsonNode = {
    val node = results.start(message.stream, message.key, message.time, message.value)
    message.partition.foreach(node.put("partition", _))
    message.offset.foreach(offset => node.put("offset", offset))
    if (message.marker) node.put("marker", true)
    message.gap.foreach(gap => node.set[ObjectNode]("gap", unit.timeNode(gap)))
    message.pane.foreach { pane =>
      node.putObject("pane").put("timing", pane.timing.toString).put("is_retraction", pane.isRetraction)
        .set[ObjectNode]("window", json.arrayNode.add(unit.boundNode(pane.start)).add(unit.boundNode(pane.end)))
    }
    node
  }
}
