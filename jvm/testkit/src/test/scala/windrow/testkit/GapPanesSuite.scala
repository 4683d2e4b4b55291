package windrow.testkit

import java.time.ZoneId
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.replay._

/** Works out from messages and watermarks alone, window by window, which windows without messages fire, in which step
  * and with which timing (SEMANTICS R3), and compares the result with the reference and the core.
  */
class GapPanesSuite extends AnyFunSuite {
  private val count = if (Full.isFull) 10000 else 400
  private val seeds = Drawn.first.toInt until Drawn.first.toInt + count

  /** A pane without messages: step, key, bounds, timing. */
  private type Gap = (Int, String, Long, Long, Timing)

  private case class Stream(spec: WindowOperatorDraft, steps: Seq[(Seq[(String, Long)], Long)])

  /** Returns the windows that intersect a range of time, as pairs of start and end. */
  private def windows(spec: WindowOperatorDraft, from: Long, to: Long): Seq[(Long, Long)] = spec.window match {
    case fixed: FixedWindows =>
      val (size, step, startTime) = (fixed.size.micros, fixed.step.micros, fixed.startTime.micros)
      val first                   = Math.floorDiv(from - size - startTime, step) * step + startTime
      Iterator.iterate(first)(_ + step).takeWhile(_ <= to).map(start => (start, start + size)).toSeq
    case calendar: Calendar =>
      val days = calendar.count.toLong
      val zone = calendar.zone
      def midnight(number: Long) =
        java.time.LocalDate.ofEpochDay(number * days).atStartOfDay(zone).toEpochSecond * 1000000L
      val day = 86400000000L
      (Math.floorDiv(from, day) / days - 3 to Math.floorDiv(to, day) / days + 3)
        .map(number => (midnight(number), midnight(number + 1)))
    case other => fail(other.toString)
  }

  private def recomputed(stream: Stream): Set[Gap] = {
    val marks    = Long.MinValue +: stream.steps.map(_._2)
    val times    = stream.steps.flatMap(_._1.map(_._2))
    val all      = windows(stream.spec, times.min, marks.max)
    val lateness = stream.spec.lateness.get.micros

    /** The first step in which each window of a key accepts a message. */
    val taken = stream.steps.zipWithIndex.flatMap { case ((messages, _), step) =>
      for {
        (key, time)  <- messages
        (start, end) <- all
        if start <= time && time < end && (marks(step) == Long.MinValue || marks(step) < end + lateness)
      } yield (key, start, end) -> step
    }.groupMapReduce(_._1)(_._2)(math.min)
    def isNear(end: Long, before: Long) =
      stream.spec.fillGaps == TimeSpan.Endless || end - before <= stream.spec.fillGaps.micros
    (for {
      key          <- taken.keys.map(_._1).toSet[String]
      (start, end) <- all
      before = taken.collect { case ((`key`, first, last), step) if first < start && isNear(end, last) => step }
      if before.nonEmpty
      step <- marks.indices.tail.find(marks(_) >= end).map(ended => math.max(ended - 1, before.min))
      if taken.get((key, start, end)).forall(_ > step)
    } yield (step, key, start, end, if (marks(step) >= end) Timing.Late else Timing.OnTime)).toSet
  }

  private def run(engine: Engine, stream: Stream, restarts: Boolean): Set[Gap] = {
    val feeds = stream.steps.map { case (messages, watermark) =>
      Step.Feed(messages.map { case (key, time) => Message(Scalar(key), Some(time), Scalar(1L)) }, Some(watermark))
    }
    val steps = if (restarts) feeds.flatMap(Seq(_, Step.Restart)) else feeds
    val transcript =
      TranscriptCase("gaps", None, TimeUnit.Micros, RandomCase.json(stream.spec, Seq("n" -> "count")), steps, None)
    val results = engine.run(transcript) match {
      case Outcome.Ran(results, _) => results
      case other                   => fail(other.toString)
    }
    (for {
      (emission, step) <- results.collect { case StepResult.Emitted(emission) => emission }.zipWithIndex
      pane             <- emission.panes if isEmpty(pane) && !pane.isRetraction && pane.index == 0
    } yield (step, text(pane.key), pane.start, pane.end, pane.timing)).toSet
  }

  private def isEmpty(pane: Emission.ContentPane): Boolean = pane.value match {
    case Content.Values(values, _) => values("n") == Value.Whole(0)
    case _                         => false
  }

  private def text(key: Scalar): String = key match {
    case Value.Text(text) => text
    case other            => other.toString
  }

  /** A stream with files in any order, keys that are silent and return, and jumps of the watermark. */
  private def stream(seed: Int): Stream = {
    val random                = new Random(seed)
    def upTo(most: Int): Long = 1L + random.nextInt(most)
    def once(outOf: Int)      = random.nextInt(outOf) == 0
    val day                   = 86400000000L
    val days                  = once(6)
    val unit                  = if (days) day / 4 else 1L
    val window: WindowKind =
      if (days) Calendar(upTo(2).toInt, CalendarUnit.Day, ZoneId.of("Europe/Berlin"))
      else if (once(2)) Tumbling(TimeSpan(upTo(12)), TimeSpan(random.nextInt(5).toLong))
      else Hopping(TimeSpan(upTo(20)), TimeSpan(upTo(15)))
    val step = window match {
      case windows: AlignedWindows => windows.longestStep.get.micros
      case other                   => fail(other.toString)
    }
    val spec = WindowOperatorDraft(
      window,
      Some(TimeSpan(if (once(3)) 0 else random.nextInt(60) * unit)),
      early = if (once(5)) EachMessage else Never,
      late = Seq(Never, EachBatch, EachMessage)(random.nextInt(3)),
      accumulation = Some(AccumulationMode.All(random.nextInt(AccumulationMode.All.size))),
      fillGaps = if (once(2)) TimeSpan.Endless else TimeSpan(step * upTo(4) + random.nextInt(10) * unit))
    val from      = if (days) 1711600000000000L else 0L
    var present   = from
    var watermark = from - 20 * unit
    val steps = Seq.fill(1 + random.nextInt(9)) {
      present += random.nextInt(if (once(4)) 120 else 12) * unit
      val near     = if (once(4)) present - random.nextInt(80) * unit else present // an older file
      val messages = Seq.fill(random.nextInt(4))((s"k${random.nextInt(3)}", near + (random.nextInt(25) - 10) * unit))
      watermark = math.max(watermark, present - random.nextInt(40) * unit)
      (messages, watermark)
    }
    Stream(spec, (Seq(("k0", from)), from - 20 * unit) +: steps)
  }

  for ((name, engine) <- Seq("reference" -> ReferenceEngine, "core" -> new CoreEngine))
    test(
      s"SEMANTICS R3: the gaps of $count random streams from seed ${seeds.head} are those of a recomputation, $name") {
      var seen = Set.empty[Timing]
      for (seed <- seeds) {
        val made  = stream(seed)
        val right = recomputed(made)
        val found = run(engine, made, restarts = seed % 3 == 0)
        assert(
          found.diff(right).isEmpty && right.diff(found).isEmpty,
          s"seed $seed: $made: ${found.diff(right)} ${right.diff(found)}")
        seen ++= right.map(_._5)
      }
      assert(seen == Set(Timing.OnTime, Timing.Late))
    }
}
