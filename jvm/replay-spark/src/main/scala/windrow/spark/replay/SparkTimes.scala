package windrow.spark.replay

import com.fasterxml.jackson.databind.JsonNode
import scala.jdk.CollectionConverters._
import windrow.replay._

/** Adapts the times of a case to Spark, whose clocks have a resolution of milliseconds, whose watermark starts at 0,
  * and whose micro-batches have different times. Times that are finer, lower or closer are shifted and stretched.
  */
private[replay] object SparkTimes {

  /** The maximum span of times, which leaves room before the end of time. */
  private val Longest = 10000000000000000L

  def of(transcript: TranscriptCase): Retimed = {
    val feeds      = transcript.steps.collect { case feed: Step.Feed => feed }
    val marks      = feeds.flatMap(_.watermark)
    val messages   = feeds.flatMap(_.messages)
    val events     = marks ++ messages.flatMap(one => one.time ++ one.pane.toSeq.flatMap(p => Seq(p.start, p.end)))
    val clock      = feeds.flatMap(_.processingTime)
    val unit       = transcript.timeUnit.micros
    val spec       = transcript.specJson
    val periods    = numbers(spec, "every_time").map(_ * unit)
    val grains     = numbers(spec, "granularity").map(_ * unit)
    val isByPolicy = TranscriptCase.windowKind(spec) == "policy"
    val isCalendar = spec.findParents("kind").asScala.exists(_.path("kind").asText == "calendar")
    def fine(times: Seq[Long])      = times.exists(_ % 1000 != 0)
    val (moveEvents, stretchEvents) = (marks.exists(_ <= 0) && !isByPolicy, fine(marks) && !isByPolicy)
    val stretchClock                = fine(clock) || periods.nonEmpty || isByPolicy
    if (spec.has("max_future")) { // compares both
      val both = retiming(unit, events ++ clock, periods ++ grains, moveEvents, stretchEvents || stretchClock)
      if (isCalendar) new Retimed(Retiming.None, Retiming.None) else new Retimed(both, both)
    } else
      new Retimed(
        if (isCalendar) Retiming.None
        else retiming(unit, events, grains, moveEvents, stretchEvents),
        retiming(unit, clock, periods, move = false, stretchClock))
  }

  /** Returns how times are changed.
    *
    * @param grid
    *   a shift must be a multiple of these
    */
  private def retiming(unit: Long, times: Seq[Long], grid: Seq[Long], move: Boolean, stretch: Boolean): Retiming = {
    val scale = if (stretch) 1000000 / unit else 1
    if (times.isEmpty || !(move || scale > 1) || BigInt(times.max) - times.min > Longest / scale)
      Retiming.None
    else {
      val step = grid.foldLeft(math.max(unit, 1000L))(leastCommonMultiple)
      Retiming(step - Math.floorDiv(times.min, step) * step, scale)
    }
  }

  private def leastCommonMultiple(a: Long, b: Long): Long =
    if (b == 0) a else a / BigInt(a).gcd(BigInt(b)).toLong * b

  private def numbers(spec: JsonNode, name: String): Seq[Long] =
    spec.findValues(name).asScala.toSeq.filter(_.isIntegralNumber).map(_.asLong)
}
