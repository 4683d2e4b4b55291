package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import windrow.Timing
import windrow.replay.TranscriptFields._

/** Reads the steps of a case. */
private[windrow] final class StepReader(unit: UnitJson) {
  private val results = new ResultReader(unit)

  def step(step: JsonNode): Step =
    if (step.has("restart")) {
      known(step, "a restart", "restart")
      Step.Restart
    } else if (step.has("query")) {
      known(step, "a query", "query", "expect")
      Step.Ask(query(step.get("query")), child(step, "expect").map(results.answer))
    } else {
      known(step, "the step", "messages", "punctuation", "watermark", "processing_time", "expect")
      Step.Feed(
        items(step, "messages").map(message),
        time(step, "watermark"),
        time(step, "processing_time"),
        results.expected(step),
        step.has("punctuation") && flag(step, "punctuation"))
    }

  def end(end: JsonNode): AtEnd = {
    known(end, "at_end", "final", "expect")
    AtEnd(flag(end, "final"), results.expected(end))
  }

  private def message(message: JsonNode): Message = {
    known(message, "a message", "key", "time", "value", "partition", "offset", "gap", "stream", "pane", "marker")
    Message(
      key(message),
      time(message, "time"),
      scalar(message, "value"),
      long(message, "partition").map(Math.toIntExact),
      long(message, "offset"),
      time(message, "gap"),
      child(message, "stream").map(_.asText),
      child(message, "pane").map(pane),
      message.has("marker") && flag(message, "marker"))
  }

  private def pane(pane: JsonNode): UpstreamPane = {
    known(pane, "a pane", "window", "timing", "is_retraction")
    items(pane, "window") match {
      case Seq(start, end) => UpstreamPane(
          unit.bound(start, "start"),
          unit.bound(end, "end"),
          word(Timing.All, pane, "timing"),
          flag(pane, "is_retraction"))
      case _ => fail("the window of a pane has a start and an end")
    }
  }

  private def query(query: JsonNode): Query = {
    known(query, "query", "get_messages", "get_windows", "counters")
    if (query.size != 1) fail("a query is one of get_messages, get_windows and counters")
    child(query, "get_messages").map(getMessages).orElse(child(query, "get_windows").map(getWindows)).getOrElse {
      if (!flag(query, "counters")) fail("counters is true, or not there")
      Query.Counters
    }
  }

  private def getMessages(range: JsonNode): Query = {
    known(range, "get_messages", "start", "end", "key", "axis")
    val axis = child(range, "axis").fold("time")(_.asText) match {
      case "time"   => Query.ByTime
      case "offset" => Query.ByOffset
      case other    => fail(s"axis is '$other'; allowed are time and offset")
    }
    def position(name: String) = if (axis == Query.ByTime) time(range, name) else long(range, name)
    Query.GetMessages(position("start"), position("end"), keyIfAny(range), axis)
  }

  private def getWindows(range: JsonNode): Query = {
    known(range, "get_windows", "start", "end", "key")
    def bound(name: String) = unit.bound(need(child(range, name), name), name)
    Query.GetWindows(bound("start"), bound("end"), keyIfAny(range))
  }

  private def keyIfAny(range: JsonNode): Option[Scalar] = Option.when(range.has("key"))(key(range))

  private def time(node: JsonNode, name: String): Option[Long] = child(node, name).map(unit.time(_, name))
}
