package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._
import windrow.{Reason, SpecProblem, Timing}

/** Checks that a comparison detects expectations that are wrong on purpose. */
class ComparisonSuite extends AnyFunSuite {

  private val right = TranscriptReader.read(
    """{"id": "c", "time_unit": "ms",
      | "spec": {"operator": "aggregate", "window": {"kind": "tumbling", "size": 10}, "lateness": 10,
      |          "late": {"every_messages": 1}, "accumulation": "accumulating",
      |          "aggregates": {"n": "count", "m": "avg"}},
      | "steps": [
      |   {"messages": [{"key": "a", "time": 1, "value": 1}, {"key": null, "time": null, "value": 2}], "watermark": 10,
      |    "expect": {"panes": [{"key": "a", "window": [0, 10], "timing": "ON_TIME", "index": 0, "is_last": false,
      |                          "is_retraction": false, "values": {"n": 1, "m": 1.0}}],
      |               "rejected": [{"key": null, "time": null, "value": 2, "reason": "INVALID_TIME"}]}},
      |   {"query": {"counters": true}, "expect": {"counters": {"accepted": 1}}},
      |   {"messages": [{"key": "a", "time": 2, "value": 2}, {"key": "a", "time": 2, "value": 6}],
      |    "expect": {"panes": [{"key": "a", "window": [0, 10], "timing": "LATE", "index": 1, "is_last": false,
      |                          "is_retraction": false, "values": {"n": 2, "m": 1.5}},
      |                         {"key": "a", "window": [0, 10], "timing": "LATE", "index": 2, "is_last": false,
      |                          "is_retraction": false, "values": {"n": 3, "m": 3.0}}], "rejected": []}}],
      | "at_end": {"final": true, "expect": {"panes": []}}}""".stripMargin.replace("\n", " "))

  private def differences(transcript: TranscriptCase): Seq[String] =
    Comparison.differences(transcript, ReferenceEngine.run(transcript))

  private def withStep(index: Int)(change: Step.Feed => Step.Feed): TranscriptCase = right.copy(steps =
    right.steps.updated(index, change(right.steps(index).asInstanceOf[Step.Feed])))

  private def withFirstPane(change: Emission.ContentPane => Emission.ContentPane): TranscriptCase =
    withStep(0)(step => step.copy(expected = step.expected.copy(panes = step.expected.panes.map(_.map(change)))))

  private def changed(change: Map[String, Value] => Map[String, Value])(
      pane: Emission.ContentPane): Emission.ContentPane =
    pane.value match {
      case Content.Values(values, message) => pane.copy(value = Content.Values(change(values), message))
      case other                           => fail(other.toString)
    }

  private def counters(expected: (String, Long)*) = Step.Ask(Query.Counters, Some(Answer.Counters(expected.toMap)))

  private val wrong = Seq(
    "a count"      -> withFirstPane(changed(_ + ("n" -> Value.Whole(2)))),
    "a mean"       -> withFirstPane(changed(_ + ("m" -> Value.Real(1 + 1e-8)))),
    "null"         -> withFirstPane(changed(_ + ("n" -> Value.Null))),
    "a list"       -> withFirstPane(changed(_ + ("n" -> Value.Items(Seq(Value.Whole(1)))))),
    "a column"     -> withFirstPane(changed(_ + ("other" -> Value.Whole(1)))),
    "no column"    -> withFirstPane(changed(_ - "n")),
    "the key"      -> withFirstPane(_.copy(key = Value.Null)),
    "the start"    -> withFirstPane(_.copy(start = 1)),
    "the end"      -> withFirstPane(_.copy(end = 10001)),
    "the timing"   -> withFirstPane(_.copy(timing = Timing.Late)),
    "the index"    -> withFirstPane(_.copy(index = 1)),
    "is_last"      -> withFirstPane(_.copy(isLast = true)),
    "a retraction" -> withFirstPane(_.copy(isRetraction = true)),
    "no panes"     -> withStep(0)(step => step.copy(expected = step.expected.copy(panes = Some(Nil)))),
    "a pane more" -> withStep(0)(step =>
      step.copy(expected = step.expected.copy(panes = step.expected.panes.map(p => p ++ p)))),
    "the order" -> withStep(2)(step =>
      step.copy(expected = step.expected.copy(panes = step.expected.panes.map(_.reverse)))),
    "the reason" -> withStep(0)(step =>
      step.copy(expected =
        step.expected.copy(rejected = step.expected.rejected.map(_.map(_.copy(reason = Reason.TooLate)))))),
    "no rejected" -> withStep(0)(step => step.copy(expected = step.expected.copy(rejected = Some(Nil)))),
    "a rejected more" -> withStep(0)(step =>
      step.copy(expected = step.expected.copy(rejected = step.expected.rejected.map(r => r ++ r)))),
    "a counter"  -> right.copy(steps = right.steps.updated(1, counters("accepted" -> 2L))),
    "no counter" -> right.copy(steps = right.steps.updated(1, counters("unheard" -> 0L))),
    "at_end" -> right.copy(atEnd =
      Some(AtEnd(
        isFinal = true,
        Expected(rejected = Some(Seq(RejectedMessage(Value.Null, None, Scalar(0), Reason.TooLate))))))),
    "a refusal" -> right.copy(refused = Some("LATENESS_NOT_STATED")))

  test("a correct result has no differences") {
    assert(differences(right) == Nil)
  }

  for ((what, transcript) <- wrong) test(s"a wrong expectation is reported: $what") {
    assert(differences(transcript).nonEmpty)
  }

  test("a spec that is refused although it should run, or for another reason, is reported") {
    val refused = Outcome.Refused(Seq(SpecProblem("LATENESS_NOT_STATED", "say it.")))
    assert(Comparison.differences(right, refused).nonEmpty)
    assert(Comparison.differences(right.copy(refused = Some("OTHER")), refused).nonEmpty)
    assert(Comparison.differences(right.copy(refused = Some("LATENESS_NOT_STATED")), refused) == Nil)
  }

  test("floating point is compared to 1e-9, integers exactly") {
    val close = withFirstPane(changed(_ + ("m" -> Value.Real(1 + 1e-10))))
    assert(differences(close) == Nil)
    assert(!Value.Whole(1L << 60).isSameAs(Value.Whole((1L << 60) + 1)))
  }

  test("panes of different windows come in any order") {
    val panes = ReferenceEngine.run(right) match {
      case Outcome.Ran(StepResult.Emitted(first) +: _, _) =>
        first.panes.flatMap(p => Seq[Emission.ContentPane](p, p.copy(key = Value.Null)))
      case other => fail(other.toString)
    }
    val twoKeys = right.copy(steps = Seq(Step.Feed(Nil, expected = Expected(Some(panes)))), atEnd = None)
    def came(panes: Seq[Emission.ContentPane]) = Outcome.Ran(Seq(StepResult.Emitted(Emission(panes))), None)
    assert(Comparison.differences(twoKeys, came(panes.reverse)) == Nil)
    assert(Comparison.differences(twoKeys, came(panes.tail)).size == 1)
  }
}
