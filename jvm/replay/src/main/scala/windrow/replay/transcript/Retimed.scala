package windrow.replay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import scala.jdk.CollectionConverters._

/** Maps times to other times: adds `shift`, then multiplies by `scale`.
  *
  * @param shift
  *   in microseconds, a multiple of the case's unit
  */
final case class Retiming(shift: Long, scale: Long) {
  def apply(time: Long): Long = (time + shift) * scale
  def back(time: Long): Long  = Math.floorDiv(time, scale) - shift

  /** Maps an end back. One that is a microsecond after a time was one after it before, too. */
  def backEnd(end: Long): Long = -Math.floorDiv(-end, scale) - shift
}

object Retiming {
  val None: Retiming = Retiming(0, 1)
}

/** Runs a case with other times, for an engine that cannot process those of the file. The outcome, mapped back, is the
  * outcome of the original case. Not for calendar windows, because their lengths differ.
  *
  * @param events
  *   maps event times and watermarks; a shift is a multiple of the granularity of sliding windows
  * @param clock
  *   maps processing times; a shift is a multiple of every period
  */
final class Retimed(events: Retiming, clock: Retiming) {

  def apply(transcript: TranscriptCase): TranscriptCase =
    if (isNone) transcript
    else transcript.copy(
      specJson = spec(transcript.specJson, transcript.timeUnit.micros),
      steps = transcript.steps.map(step(_, Retimed.areTimes(transcript))))

  def back(transcript: TranscriptCase, outcome: Outcome): Outcome = outcome match {
    case Outcome.Ran(results, atEnd) if !isNone =>
      val restored = new Restored(Retimed.areTimes(transcript))
      Outcome.Ran(
        results.map {
          case StepResult.Emitted(emission) => StepResult.Emitted(restored(emission))
          case StepResult.Answered(answer)  => StepResult.Answered(restored(answer))
          case other                        => other
        },
        atEnd.map(restored(_)))
    case other => other
  }

  private def isNone = events == Retiming.None && clock == Retiming.None

  private def step(step: Step, boundsAreTimes: Boolean): Step = step match {
    case feed: Step.Feed =>
      feed.copy(
        messages = feed.messages.map(message),
        watermark = feed.watermark.map(events(_)),
        processingTime = feed.processingTime.map(clock(_)))
    case Step.Ask(Query.GetMessages(start, end, key, Query.ByTime), expected) =>
      Step.Ask(Query.GetMessages(start.map(events(_)), end.map(events(_)), key, Query.ByTime), expected)
    case Step.Ask(Query.GetWindows(start, end, key), expected) if boundsAreTimes =>
      Step.Ask(Query.GetWindows(events(start), events(end), key), expected)
    case other => other
  }

  private def message(message: Message): Message = message.copy(
    time = message.time.map(events(_)),
    gap = message.gap.map(_ * events.scale),
    pane = message.pane.map(pane => pane.copy(start = events(pane.start), end = events(pane.end))))

  private def spec(json: ObjectNode, unit: Long): ObjectNode = {
    val scaled = json.deepCopy()
    val names  = new Stretched(events.scale)
    if (TranscriptCase.windowKind(json) != "offset_range") names(scaled, "lateness")
    names(scaled, "max_future")
    names(scaled, "fill_gaps")
    names(scaled, "within")
    names(scaled.path("retention"), "time")
    val periods = new Stretched(clock.scale)
    scaled.findParents("every_time").forEach(periods(_, "every_time"))
    within(scaled.path("within"))
    scaled.findParents("kind").asScala.foreach {
      case window: ObjectNode => this.window(window, unit)
      case _                  =>
    }
    scaled
  }

  private def window(window: ObjectNode, unit: Long): Unit = window.path("kind").asText match {
    case kind @ ("tumbling" | "hopping") =>
      val step = window.path(if (kind == "tumbling") "size" else "step").asLong
      if (step > 0)
        window.put("start_time", Math.floorMod(window.path("start_time").asLong + events.shift / unit, step))
      Seq("size", "step", "start_time").foreach(new Stretched(events.scale)(window, _))
    case "sliding" =>
      if (events.scale > 1 && !window.has("granularity")) window.put("granularity", 1000 / unit)
      Seq("size", "granularity").foreach(new Stretched(events.scale)(window, _))
    case "session" => Seq("gap", "max_length").foreach(new Stretched(events.scale)(window, _))
    case "over"    => new Stretched(events.scale)(window, "range")
    case "policy" =>
      Seq("time", "idle").foreach(name =>
        window.findParents(name).forEach(new Stretched(clock.scale)(_, name)))
    case _ => ()
  }

  /** Scales ranges, of all streams or of each. */
  private def within(node: JsonNode): Unit = node match {
    case ends: ArrayNode => (0 until ends.size).foreach(i => ends.set(i, ends.get(i).asLong * events.scale))
    case each: ObjectNode if !each.has("kind") => each.elements.forEachRemaining(within(_))
    case _                                     => ()
  }

  private final class Stretched(scale: Long) {
    def apply(node: JsonNode, name: String): Unit = node match {
      case fields: ObjectNode if fields.path(name).isIntegralNumber =>
        fields.put(name, Math.multiplyExact(fields.get(name).asLong, scale))
        ()
      case _ => ()
    }
  }

  /** Maps output back to the times of the case. */
  private final class Restored(boundsAreTimes: Boolean) {
    def apply(emission: Emission): Emission = emission.copy(
      panes = emission.panes.map { pane =>
        val (start, end) = bounds(pane.start, pane.end)
        pane.copy(start = start, end = end, value = content(pane.value))
      },
      rejected = emission.rejected.map(one => one.copy(time = one.time.map(events.back))),
      rows = emission.rows.map(_.map { case (stream, message) => stream -> message.map(value) }))

    def apply(answer: Answer): Answer = answer match {
      case Answer.Messages(all) => Answer.Messages(all.map(message => message.copy(time = events.back(message.time))))
      case Answer.Windows(all) => Answer.Windows(all.map { window =>
          val (start, end) = bounds(window.start, window.end)
          window.copy(start = start, end = end)
        })
      case other => other
    }

    private def bounds(start: Long, end: Long) =
      if (!boundsAreTimes || (start, end) == Emission.Everywhere) (start, end)
      else (events.back(start), events.backEnd(end))

    private def value(stored: StoredValue) = stored.copy(time = events.back(stored.time))

    private def content(of: Content): Content = of match {
      case Content.Values(values, message) =>
        Content.Values(values, message.map(one => one.copy(time = events.back(one.time))))
      case Content.Messages(all)  => Content.Messages(all.map(value))
      case Content.ByStream(each) => Content.ByStream(each.map { case (name, all) => name -> all.map(value) })
    }
  }
}

object Retimed {

  /** Whether window bounds are times, as opposed to positions or numbers of panes. */
  private def areTimes(transcript: TranscriptCase): Boolean =
    !UnitJson.TupleKinds(TranscriptCase.windowKind(transcript.specJson))
}
