package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import scala.jdk.CollectionConverters._
import windrow.replay.TranscriptFields._
import windrow.{Pane, Reason, Timing}

/** Reads the expected results of a case. */
private[windrow] final class ResultReader(unit: UnitJson) {

  def expected(step: JsonNode): Expected = child(step, "expect").fold(Expected.Anything) { expect =>
    known(expect, "expect", "panes", "rejected", "rows", "events")
    Expected(
      list(expect, "panes")(pane),
      list(expect, "rejected")(rejected),
      list(expect, "rows")(fields(_)(message => Option.unless(message.isNull)(stored(message)))),
      list(expect, "events")(event))
  }

  def answer(expect: JsonNode): Answer = {
    known(expect, "expect of a query", "messages", "windows", "counters", "error")
    if (expect.size != 1) fail("a query expects one of messages, windows, counters and error")
    list(expect, "messages")(message).map(Answer.Messages)
      .orElse(list(expect, "windows")(window).map(Answer.Windows))
      .orElse(child(expect, "error").map(code => Answer.Refused(code.asText)))
      .getOrElse(Answer.Counters(fields(expect.get("counters"))(count)))
  }

  private def count(node: JsonNode): Long =
    if (node.isIntegralNumber && node.canConvertToLong) node.asLong else fail(s"a counter is $node")

  private def pane(pane: JsonNode): Emission.ContentPane = {
    known(pane, "a pane", "key", "window", "timing", "index", "is_last", "is_retraction", "values", "message",
      "messages")
    val (start, end) = bounds(pane)
    Pane(
      key(pane),
      start,
      end,
      word(Timing.All, pane, "timing"),
      need(long(pane, "index"), "index"),
      flag(pane, "is_last"),
      flag(pane, "is_retraction"),
      content(pane))
  }

  /** Reads the bounds of a window. Null means a window that contains everything. */
  private def bounds(node: JsonNode): (Long, Long) =
    if (node.has("window") && node.get("window").isNull) Emission.Everywhere
    else items(node, "window") match {
      case Seq(start, end) => (unit.bound(start, "window"), unit.bound(end, "window"))
      case _               => fail(s"window is ${node.get("window")}, no [start, end]")
    }

  private def content(pane: JsonNode): Content = (child(pane, "values"), child(pane, "messages")) match {
    case (Some(values), None) => Content.Values(fields(values)(value), child(pane, "message").map(overMessage))
    case (None, Some(all)) if all.isArray  => Content.Messages(items(pane, "messages").map(stored))
    case (None, Some(all)) if all.isObject => Content.ByStream(byStream(all))
    case _                                 => fail("a pane has either values or messages")
  }

  private def byStream(all: JsonNode): Map[String, Seq[StoredValue]] =
    fields(all)(_.elements.asScala.toSeq.map(stored))

  private def overMessage(message: JsonNode): OverMessage = {
    known(message, "the message of a pane", "time", "value", "partition", "offset")
    OverMessage(
      time(message),
      scalar(message, "value"),
      long(message, "partition").map(Math.toIntExact),
      long(message, "offset"))
  }

  private def stored(message: JsonNode): StoredValue = {
    known(message, "a message of a result", "time", "value")
    StoredValue(time(message), scalar(message, "value"))
  }

  private def event(event: JsonNode): PolicyEvent = {
    known(event, "an event", "key", "event", "values")
    PolicyEvent(key(event), word(PolicyEvent.Kinds, event, "event"), items(event, "values").map(value))
  }

  private def rejected(rejected: JsonNode): RejectedMessage = {
    known(rejected, "a rejected message", "key", "time", "value", "reason", "stream")
    RejectedMessage(
      key(rejected),
      child(rejected, "time").map(unit.time(_, "time")),
      scalar(rejected, "value"),
      word(Reason.All, rejected, "reason"),
      child(rejected, "stream").map(_.asText))
  }

  private def message(message: JsonNode): StoredMessage = {
    known(message, "a stored message", "key", "time", "value", "offset")
    StoredMessage(key(message), time(message), scalar(message, "value"), long(message, "offset"))
  }

  private def window(window: JsonNode): WindowRow = {
    known(window, "a window", "key", "window", "first_offset", "last_offset", "count")
    val (start, end) = bounds(window)
    WindowRow(
      key(window),
      start,
      end,
      long(window, "first_offset"),
      long(window, "last_offset"),
      need(long(window, "count"), "count"))
  }

  private def time(node: JsonNode): Long = unit.time(need(child(node, "time"), "time"), "time")
}
