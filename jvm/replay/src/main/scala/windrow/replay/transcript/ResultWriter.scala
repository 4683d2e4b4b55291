package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import windrow.replay.TranscriptWriter.{array, json}

/** Writes the expected results of a case. */
private[windrow] final class ResultWriter(unit: UnitJson) {

  def expected(node: ObjectNode, expected: Expected): Unit =
    if (expected != Expected.Anything) {
      val expect = node.putObject("expect")
      expected.panes.foreach(all => expect.set[ObjectNode]("panes", array(all)(pane)))
      expected.rejected.foreach(all => expect.set[ObjectNode]("rejected", array(all)(rejected)))
      expected.rows.foreach(all => expect.set[ObjectNode]("rows", array(all)(row)))
      expected.events.foreach(all => expect.set[ObjectNode]("events", array(all)(event)))
    }

  def answer(answer: Answer): JsonNode = answer match {
    case Answer.Messages(all) => json.objectNode.set("messages", array(all)(message))
    case Answer.Windows(all)  => json.objectNode.set("windows", array(all)(window))
    case Answer.Refused(code) => json.objectNode.put("error", code)
    case Answer.Counters(all) =>
      val node = json.objectNode
      named(node.putObject("counters"), all)(json.numberNode(_))
      node
  }

  /** Returns the first fields of a message, whether input or rejected. */
  def start(stream: Option[String], key: Scalar, eventTime: Option[Long], value: Scalar): ObjectNode = {
    val node = json.objectNode
    stream.foreach(node.put("stream", _))
    node.set[ObjectNode]("key", key.toJson)
    node.set[ObjectNode]("time", eventTime.fold[JsonNode](json.nullNode)(unit.timeNode))
    node.set[ObjectNode]("value", value.toJson)
    node
  }

  private def rejected(rejected: RejectedMessage): JsonNode =
    start(rejected.stream, rejected.key, rejected.time, rejected.value).put("reason", rejected.reason.toString)

  private def pane(pane: Emission.ContentPane): JsonNode = {
    val node = keyed(pane.key).set[ObjectNode]("window", bounds(pane.start, pane.end))
    node.put("timing", pane.timing.toString).put("index", pane.index)
    node.put("is_last", pane.isLast).put("is_retraction", pane.isRetraction)
    pane.value match {
      case Content.Values(values, message) =>
        message.foreach(message => node.set[ObjectNode]("message", overMessage(message)))
        named(node.putObject("values"), values)(_.toJson)
      case Content.Messages(all)    => node.set[ObjectNode]("messages", array(all)(stored))
      case Content.ByStream(groups) => named(node.putObject("messages"), groups)(array(_)(stored))
    }
    node
  }

  private def overMessage(message: OverMessage): JsonNode = {
    val node = stored(StoredValue(message.time, message.value))
    message.partition.foreach(node.put("partition", _))
    message.offset.foreach(offset => node.put("offset", offset))
    node
  }

  private def stored(message: StoredValue): ObjectNode = {
    val node = json.objectNode.set[ObjectNode]("time", unit.timeNode(message.time))
    node.set[ObjectNode]("value", message.value.toJson)
  }

  private def row(row: Emission.Row): JsonNode = {
    val node = json.objectNode
    named(node, row)(_.fold[JsonNode](json.nullNode)(stored))
    node
  }

  private def event(event: PolicyEvent): JsonNode =
    keyed(event.key).put("event", event.event.toString).set("values", array(event.values)(_.toJson))

  private def message(message: StoredMessage): JsonNode = {
    val node = keyed(message.key).set[ObjectNode]("time", unit.timeNode(message.time))
    node.set[ObjectNode]("value", message.value.toJson)
    message.offset.foreach(offset => node.put("offset", offset))
    node
  }

  private def window(window: WindowRow): JsonNode = {
    val node = keyed(window.key).set[ObjectNode]("window", bounds(window.start, window.end))
    window.firstOffset.foreach(offset => node.put("first_offset", offset))
    window.lastOffset.foreach(offset => node.put("last_offset", offset))
    node.put("count", window.count)
  }

  private def keyed(key: Scalar): ObjectNode = json.objectNode.set("key", key.toJson)

  private def bounds(start: Long, end: Long): JsonNode =
    if ((start, end) == Emission.Everywhere) json.nullNode
    else json.arrayNode.add(unit.boundNode(start)).add(unit.boundNode(end))

  private def named[T](node: ObjectNode, all: Map[String, T])(one: T => JsonNode): Unit =
    all.toSeq.sortBy(_._1).foreach { case (name, value) => node.set[ObjectNode](name, one(value)) }
}
