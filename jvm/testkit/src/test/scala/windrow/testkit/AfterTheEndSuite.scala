package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.replay._

/** Messages of windows on offsets that arrive after the end of the input, across a restart (SEMANTICS R71). */
class AfterTheEndSuite extends AnyFunSuite {

  private def message(partition: Int, offset: Long): Message =
    Message(Scalar("a"), Some(1), Scalar(offset), Some(partition), Some(offset))

  private def rejected(window: String, complete: String): Seq[String] = {
    val json = s"""{"id": "x", "time_unit": "us", "spec": {"operator": "aggregate", "window": $window,
      "close_on": "$complete", "lateness": 0, "aggregates": {"all": "collect"}}, "steps": []}"""
    val steps = Seq(
      Step.Feed(Seq(message(0, 0)), Some(Long.MaxValue)),
      Step.Restart,
      Step.Feed(Seq(message(0, 1), message(1, 0)), None),
      Step.Feed(Seq(message(1, 1)), None))
    new CoreEngine().run(TranscriptReader.read(json).copy(steps = steps)) match {
      case Outcome.Ran(Seq(StepResult.Emitted(first), _, StepResult.Emitted(second), StepResult.Emitted(third)), _) =>
        assert(first.panes.size == 1 && second.panes.isEmpty && third.panes.isEmpty)
        (second.rejected ++ third.rejected).map(_.reason.toString)
      case other => fail(other.toString)
    }
  }

  for {
    window   <- Seq("""{"kind": "offset_range", "n": 4, "step": 4}""", """{"kind": "offset_session", "gap": 1}""")
    complete <- Seq("watermark", "next_row") if complete == "watermark" || window.contains("offset_range")
  } test(s"R71: a source partition that is new then is late, too: $window by $complete")(
    assert(rejected(window, complete) == Seq.fill(3)("TOO_LATE")))
}
