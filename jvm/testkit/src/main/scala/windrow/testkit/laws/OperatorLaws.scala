package windrow.testkit

import org.scalacheck.Prop.{forAllNoShrink, propBoolean}
import org.scalacheck.{Gen, Prop, Properties}
import windrow.Timing
import windrow.replay._

/** Laws of every windowed aggregation with any windows and policies: laws between two runs of an engine, or on the
  * panes of one run. Nothing is compared with the reference, so the laws also hold for a user-defined operator.
  *
  * {{{ val laws = new OperatorLaws("sessions", new CoreEngine, Gen.long.map(RandomCase(_, RandomFamily.Sessions))) }}}
  *
  * @param cases
  *   specs and streams; expected results are ignored. If the order can show (`collect`), their messages must have
  *   offsets.
  */
final class OperatorLaws(name: String, engine: Engine, cases: Gen[TranscriptCase]) extends Properties(name) {

  private def emissions(transcript: TranscriptCase): Seq[Emission] = engine.run(transcript) match {
    case Outcome.Ran(results, atEnd) => results.collect { case StepResult.Emitted(emission) => emission } ++ atEnd
    case other                       => throw new IllegalArgumentException(s"${transcript.id}: $other")
  }

  private def panes(transcript: TranscriptCase): Seq[Emission.ContentPane] = emissions(transcript).flatMap(_.panes)

  /** Returns the identity of a pane's window. A window of `Over` is identified by its message, wherever it starts. */
  private def window(pane: Emission.ContentPane): (Scalar, Any) = pane.value match {
    case Content.Values(_, Some(message)) => (pane.key, message)
    case _                                => (pane.key, (pane.start, pane.end))
  }

  /** Compares panes in their order within each window, and rejected messages without order. */
  private def isEqual(transcript: TranscriptCase, one: Seq[Emission], other: Seq[Emission]): Prop = {
    def shown(emissions: Seq[Emission]) = emissions.map(emission =>
      (emission.panes.groupBy(window), emission.rejected.groupMapReduce(rejected => rejected)(_ => 1)(_ + _)))
    (shown(one) == shown(other)) :| TranscriptWriter.write(transcript)
  }

  property("a restart after every step changes nothing") = forAllNoShrink(cases) { transcript =>
    isEqual(transcript, emissions(transcript), emissions(Recut.restarted(transcript)))
  }

  property("the order of messages inside a step does not show") = forAllNoShrink(cases, Gen.long) {
    (transcript, seed) =>
      isEqual(transcript, emissions(transcript), emissions(Recut.shuffled(transcript, seed)))
  }

  property("the panes of a window are numbered, EARLY* ON_TIME? LATE*") = forAllNoShrink(cases) { transcript =>
    panes(transcript).filterNot(_.isRetraction).groupBy(window).values.map { panes =>
      val (indexes, timings) = (panes.map(_.index), panes.map(_.timing.code))
      val isRight =
        if (TranscriptCase.windowsReturn(transcript.specJson)) indexes == indexes.distinct.sorted
        else indexes == panes.indices.map(_.toLong) && timings == timings.sorted &&
        panes.count(_.timing == Timing.OnTime) <= 1
      isRight :| TranscriptWriter.write(transcript)
    }.foldLeft(Prop.passed)(_ && _)
  }

  property("a retraction repeats the pane that it withdraws, once") = forAllNoShrink(cases) { transcript =>
    panes(transcript).foldLeft((Prop.passed, Set.empty[Emission.ContentPane])) { case ((holds, shown), pane) =>
      if (!pane.isRetraction) (holds, shown + pane)
      else {
        val withdrawn = pane.copy(isRetraction = false)
        (holds && Prop(shown(withdrawn)) :| TranscriptWriter.write(transcript), shown - withdrawn)
      }
    }._1
  }

  property("nothing more comes of a stream that is sent twice, where messages have offsets") =
    forAllNoShrink(cases) { transcript =>
      val messages = transcript.steps.collect { case feed: Step.Feed => feed.messages }.flatten
      val again    = transcript.copy(steps = transcript.steps :+ Step.Feed(messages), atEnd = None)
      messages.exists(
        _.identity.isEmpty) || (emissions(again).last == Emission.Nothing) :| TranscriptWriter.write(again)
    }
}
