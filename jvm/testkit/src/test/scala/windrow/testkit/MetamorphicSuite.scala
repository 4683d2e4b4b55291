package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.replay._

/** Laws between two runs of the reference, independent of the values. */
class MetamorphicSuite extends AnyFunSuite {
  import LastValues.{window, withSpec}

  private val first = Drawn.first
  private val seeds = first until first + math.max(10, Drawn.cases / 50)

  private type Live = Map[LastValues.Window, Map[String, Value]]

  private def emissions(transcript: TranscriptCase): Seq[Emission] =
    LastValues.emissions(ReferenceEngine.run(transcript), transcript.id)

  private def panes(transcript: TranscriptCase): Seq[Emission.ContentPane] = emissions(transcript).flatMap(_.panes)

  private def values(content: Content): Map[String, Value] = content match {
    case Content.Values(values, _) => values
    case other                     => fail(other.toString)
  }

  private def values(pane: Emission.ContentPane): Map[String, Value] = values(pane.value)

  private def live(transcript: TranscriptCase): Live =
    LastValues.of(ReferenceEngine.run(transcript), transcript.id).view.mapValues(values(_: Content)).toMap

  private def count(values: Map[String, Value]): Long = values("n") match {
    case Value.Whole(number) => number
    case other               => fail(other.toString)
  }

  private def forAll(families: Seq[RandomFamily])(check: TranscriptCase => Unit): Unit =
    for (family <- families; seed <- seeds) check(RandomCase(seed, family))

  test("R1: the order of messages inside a step does not show") {
    forAll(RandomFamily.All) { transcript =>
      val shuffled = Recut.shuffled(transcript, transcript.id.hashCode.toLong)
      assert(emissions(shuffled).map(_.asExpected(Expected.Panes)) == emissions(transcript).map(_.asExpected(
        Expected.Panes)))
    }
  }

  test("early and late policies change no last value") {
    forAll(RandomFamily.Timed.diff(Seq(RandomFamily.Everything)) ++ RandomFamily.Tuples) { transcript =>
      def values(early: PaneTrigger, late: PaneTrigger) = live(withSpec(transcript)(
        _.copy(early = early, late = late, accumulation = Some(Accumulating), onTime = true)))
      val plain = values(Never, Never)
      assert(values(EachMessage, EachMessage) == plain, TranscriptWriter.write(transcript))
      assert(values(Every(3), EachBatch) == plain, TranscriptWriter.write(transcript))
    }
  }

  test("R18: panes less retractions leave one row for each live window, its value") {
    forAll(RandomFamily.Timed ++ RandomFamily.Tuples) { transcript =>
      def mode(mode: AccumulationMode) = withSpec(transcript)(_.copy(accumulation = Some(mode)))
      val rows = panes(mode(AccumulatingAndRetracting)).foldLeft(Vector.empty[Emission.ContentPane])((rows, pane) =>
        if (!pane.isRetraction) rows :+ pane
        else {
          val withdrawn = rows.indexOf(pane.copy(isRetraction = false))
          assert(withdrawn >= 0, TranscriptWriter.write(transcript))
          rows.patch(withdrawn, Nil, 1)
        })
      assert(rows.map(window).distinct.size == rows.size)
      assert(rows.map(pane => window(pane) -> values(pane)).toMap == live(mode(Accumulating)))
    }
  }

  test("R18: all panes that discard, taken together, are the values of the live windows") {
    forAll(RandomFamily.Timed.diff(Seq(RandomFamily.OverWindows)) ++ RandomFamily.Tuples) { transcript =>
      def mode(mode: AccumulationMode) =
        withSpec(transcript)(_.copy(accumulation = Some(mode), skipUnchanged = false))
      def byKey(all: Seq[(Scalar, Long)]) = all.groupMapReduce(_._1)(_._2)(_ + _).filter(_._2 > 0)
      val parts                           = panes(mode(Discarding)).map(pane => pane.key -> count(values(pane)))
      val whole = live(mode(Accumulating)).toSeq.map { case ((key, _), values) => key -> count(values) }
      assert(byKey(parts) == byKey(whole), TranscriptWriter.write(transcript))
    }
  }

  test("keys do not see each other, but for offsets, which are the stream's") {
    forAll(RandomFamily.Timed ++ Seq(RandomFamily.Counts, RandomFamily.FilledGaps)) { transcript =>
      def only(key: Scalar) = transcript.copy(steps = transcript.steps.map {
        case feed: Step.Feed => feed.copy(messages = feed.messages.filter(_.key == key))
        case other           => other
      })
      panes(transcript).groupBy(_.key).foreach { case (key, expected) =>
        assert(panes(only(key)) == expected, TranscriptWriter.write(transcript))
      }
    }
  }

  test(
    "SEMANTICS E1, R74: for each window EARLY* ON_TIME? LATE*, numbered; read = accepted + rejected + duplicates + gaps") {
    forAll(RandomFamily.All) { transcript =>
      panes(transcript).filterNot(_.isRetraction).groupBy(window).values.foreach { panes =>
        val (indexes, timings) = (panes.map(_.index), panes.map(_.timing.code))
        assert(indexes == indexes.distinct.sorted, TranscriptWriter.write(transcript))
        if (!TranscriptCase.windowsReturn(transcript.specJson)) {
          assert(indexes == panes.indices.map(_.toLong), TranscriptWriter.write(transcript))
          assert(timings == timings.sorted, TranscriptWriter.write(transcript))
          assert(panes.count(_.timing == Timing.OnTime) <= 1, TranscriptWriter.write(transcript))
        }
      }
      val counts              = counters(transcript)
      def sum(names: String*) = names.map(counts).sum
      val messages            = transcript.steps.collect { case feed: Step.Feed => feed.messages.size }.sum
      assert(sum("accepted", "rejected", "duplicates", "gaps") == messages, TranscriptWriter.write(transcript))
      assert(sum("in_time", "past", "future") == counts("accepted"), TranscriptWriter.write(transcript))
    }
  }

  private def counters(transcript: TranscriptCase): Map[String, Long] = ReferenceEngine.run(transcript) match {
    case Outcome.Ran(results, _) =>
      results.collect { case StepResult.Answered(Answer.Counters(counters)) => counters }.last
    case other => fail(other.toString)
  }
}
