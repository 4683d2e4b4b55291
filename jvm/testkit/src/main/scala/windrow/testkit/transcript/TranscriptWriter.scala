package windrow.testkit

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, LongNode, ObjectNode}

/** Writes a case as the JSON of tests/transcripts/README.md, one line, in the case's own unit of time. */
object TranscriptWriter {
  private val json = JsonNodeFactory.instance

  def write(transcript: TranscriptCase): String = {
    val writer = new UnitWriter(transcript.timeUnit)
    val node   = json.objectNode.put("id", transcript.id)
    transcript.source.foreach(node.put("source", _))
    node.put("time_unit", transcript.timeUnit.name).set[ObjectNode]("spec", transcript.specJson)
    transcript.refused.foreach(node.put("refused", _))
    if (transcript.refused.isEmpty)
      node.set[ObjectNode]("steps", writer.array(transcript.steps)(writer.step))
    transcript.atEnd.foreach { end =>
      writer.expected(node.putObject("at_end").put("final", end.isFinal), end.expected)
    }
    node.toString
  }

  private final class UnitWriter(unit: TimeUnit) {

    def array[T](all: Iterable[T])(one: T => JsonNode): ArrayNode =
      all.foldLeft(json.arrayNode)((array, item) => array.add(one(item)))

    def step(step: Step): JsonNode = step match {
      case Step.Restart => json.objectNode.put("restart", true)
      case Step.AskCounters(expected) =>
        val node = json.objectNode
        node.putObject("query").put("counters", true)
        val counters = node.putObject("expect").putObject("counters")
        expected.toSeq.sorted.foreach { case (name, count) => counters.put(name, count) }
        node
      case Step.Feed(messages, watermark, processingTime, outcome) =>
        val node = json.objectNode
        node.set[ObjectNode]("messages", array(messages)(message))
        watermark.foreach(w => node.set[ObjectNode]("watermark", time(w)))
        processingTime.foreach(p => node.set[ObjectNode]("processing_time", time(p)))
        expected(node, outcome)
        node
    }

    def expected(node: ObjectNode, expected: Expected): Unit =
      if (expected != Expected.Anything) {
        val expect = node.putObject("expect")
        expected.panes.foreach(all => expect.set[ObjectNode]("panes", array(all)(pane)))
        expected.rejected.foreach(all => expect.set[ObjectNode]("rejected", array(all)(rejected)))
      }

    private def message(message: Message): JsonNode = {
      val node = start(message.key, message.time, message.value)
      message.partition.foreach(node.put("partition", _))
      message.offset.foreach(offset => node.put("offset", offset))
      message.gap.foreach(gap => node.set[ObjectNode]("gap", time(gap)))
      node
    }

    private def rejected(rejected: RejectedMessage): JsonNode =
      start(rejected.key, rejected.time, rejected.value).put("reason", rejected.reason.toString)

    private def start(key: Option[String], eventTime: Option[Long], value: Long): ObjectNode = {
      val node = json.objectNode.put("key", key.orNull)
      node.set[ObjectNode]("time", eventTime.fold[JsonNode](json.nullNode)(time))
      node.put("value", value)
    }

    def pane(pane: Emission.ValuePane): JsonNode = {
      val node = json.objectNode.put("key", pane.key.orNull)
      node.set[ObjectNode]("window", json.arrayNode.add(time(pane.start)).add(time(pane.end)))
      node.put("timing", pane.timing.toString).put("index", pane.index)
      node.put("is_last", pane.isLast).put("is_retraction", pane.isRetraction)
      val values = node.putObject("values")
      pane.value.toSeq.sortBy(_._1).foreach { case (name, value) => values.set[ObjectNode](name, value.toJson) }
      node
    }

    private def time(micros: Long): LongNode = {
      if (micros % unit.micros != 0)
        throw new TranscriptError(s"$micros microseconds are no whole number of ${unit.name}")
      LongNode.valueOf(micros / unit.micros)
    }
  }
}
