package windrow.replay

import windrow.Pane
import windrow.replay.Emission.ContentPane

/** Compares the outcome of a case with its expected results. */
object Comparison {

  /** Returns one sentence for each difference, and nothing if all expectations are met. */
  def differences(transcript: TranscriptCase, outcome: Outcome): Seq[String] = outcome match {
    case Outcome.NotRun(_) => Nil
    case Outcome.Refused(problems) =>
      if (transcript.refused.exists(code => problems.exists(_.code == code))) Nil
      else Seq(s"the spec was refused: ${problems.mkString(" ")}")
    case Outcome.Ran(results, atEnd) =>
      val text     = new ResultText(new UnitJson(transcript.timeUnit, transcript.specJson))
      val emission = new EmissionComparison(text)
      transcript.refused.map(code => s"the spec must be rejected with $code, but it ran").toSeq ++
        Option.when(
          results.size != transcript.steps.size)(s"${transcript.steps.size} steps, but ${results.size} results") ++
        transcript.steps.zip(results).zipWithIndex.flatMap { case ((step, result), index) =>
          ofStep(step, result, emission, text).map(difference => s"step ${index + 1}: $difference")
        } ++
        transcript.atEnd.filter(_.isFinal).toSeq.flatMap { end =>
          atEnd.fold(Seq("nothing ran"))(emission(end.expected, _)).map(difference => s"at_end: $difference")
        }
  }

  private def ofStep(step: Step, result: StepResult, emission: EmissionComparison, text: ResultText): Seq[String] =
    (step, result) match {
      case (feed: Step.Feed, StepResult.Emitted(actual))      => emission(feed.expected, actual)
      case (Step.Ask(_, expected), StepResult.Answered(came)) => expected.toSeq.flatMap(ofAnswer(_, came, text))
      case (Step.Restart, StepResult.Restarted)               => Nil
      case _                                                  => Seq(s"unexpected result for the kind of step: $result")
    }

  private def ofAnswer(expected: Answer, actual: Answer, text: ResultText): Seq[String] = (expected, actual) match {
    case (Answer.Counters(expected), Answer.Counters(actual)) =>
      expected.toSeq.sorted.collect {
        case (name, count) if !actual.get(name).contains(count) && (actual.contains(name) || !Answer.Classes(name)) =>
          s"counter $name: expected $count, got ${actual.getOrElse(name, "nothing")}"
      }
    case _ =>
      Option.when(expected != actual)(s"answer: expected ${text.answer(expected)}, got ${text.answer(actual)}").toSeq
  }
}

/** Compares the output of one step: panes in order within a key and window, and as a set across them; events in order
  * within a key; rows and rejected messages as a multiset.
  */
private[windrow] final class EmissionComparison(text: ResultText) {
  import EmissionComparison.messages

  def apply(expected: Expected, actual: Emission): Seq[String] =
    expected.panes.fold(Seq.empty[String])(ofPanes(_, actual.panes)) ++
      expected.rejected.fold(Seq.empty[String])(ofMultiset("rejected", _, actual.rejected)(text.rejected)) ++
      expected.rows.fold(Seq.empty[String])(ofMultiset("row", _, actual.rows)(text.row)) ++
      expected.events.fold(Seq.empty[String])(ofEvents(_, actual.events))

  private def ofPanes(expected: Seq[ContentPane], actual: Seq[ContentPane]): Seq[String] =
    inOrder(expected, actual)(EmissionComparison.windowOf, isSame) { case (window, a, b) =>
      s"pane ${text.window(window)}: expected ${a.fold("nothing")(text.pane)}, got ${b.fold("nothing")(text.pane)}"
    }

  private def ofEvents(expected: Seq[PolicyEvent], actual: Seq[PolicyEvent]): Seq[String] =
    inOrder(expected, actual)(_.key, (a: PolicyEvent, b: PolicyEvent) => a == b) { case (key, a, b) =>
      s"event of ${text.key(key)}: expected ${a.fold("nothing")(text.event)}, got ${b.fold("nothing")(text.event)}"
    }

  private def inOrder[T, G: Ordering](expected: Seq[T], actual: Seq[T])(group: T => G, isSame: (T, T) => Boolean)(
      describe: (G, Option[T], Option[T]) => String): Seq[String] = {
    val (wanted, came) = (expected.groupBy(group), actual.groupBy(group))
    (wanted.keySet ++ came.keySet).toSeq.sorted.flatMap { group =>
      def some(all: Map[G, Seq[T]]) = all.getOrElse(group, Nil).map(Option(_))
      some(wanted).zipAll(some(came), None, None).collect {
        case (a, b) if !a.zip(b).exists { case (a, b) => isSame(a, b) } => describe(group, a, b)
      }
    }
  }

  private def ofMultiset[T](what: String, expected: Seq[T], actual: Seq[T])(show: T => String): Seq[String] =
    expected.diff(actual).map(one => s"$what: expected ${show(one)}, got nothing") ++
      actual.diff(expected).map(one => s"$what: not expected ${show(one)}")

  private def isSame(a: ContentPane, b: ContentPane): Boolean =
    a.copy(value = ()) == b.copy(value = ()) && ((a.value, b.value) match {
      case (Content.Values(ours, message), Content.Values(theirs, other)) =>
        message == other && ours.keySet == theirs.keySet &&
        ours.forall { case (name, value) => value.isSameAs(theirs(name)) }
      case (ours, theirs) => ours == theirs
    })
}

private[windrow] object EmissionComparison {
  implicit val messages: Ordering[OverMessage] = Ordering.by(m => (m.time, m.partition, m.offset, m.value))

  /** The identity of a window of a key: its bounds, and its message if it has one. */
  type Window = (Scalar, Long, Long, Option[OverMessage])

  def windowOf(pane: Pane[Scalar, Content]): Window = {
    val message = pane.value match {
      case Content.Values(_, message) => message
      case _                          => None
    }
    (pane.key, pane.start, pane.end, message)
  }
}
