package windrow.operators

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.InMemoryShardStore

/** Tests checkpoints that continue with another spec, or are refused (SEMANTICS S2). */
class OtherSpecSuite extends AnyFunSuite {
  import LongerLatenessSuite._

  private def refused(was: Opening, now: Opening, label: String): Assertion = {
    val store = new InMemoryShardStore
    was(8, store).close()
    was(8, store).close() // the same spec continues
    val error = intercept[CheckpointError](now(8, store))
    assert(error.getMessage.contains("SPEC_CHANGED") && error.getMessage.contains(label))
  }

  private val starts = Map(0L -> 0L, 1L -> 8L)
  private val others = Map(0L -> 2L, 1L -> 8L)

  test("S2: the start offsets of aggregates stay") {
    def open(starts: Map[Long, Long]) = begun(aggregate(WindowOperatorDraft(
      OffsetRange(4),
      accumulation = Some(Accumulating),
      startOffsets = starts)))
    refused(open(starts), open(others), "start offsets `{1: 8}`, but the query has `{0: 2, 1: 8}`")
  }

  test("S2: the start offsets of full state stay") {
    def open(starts: Map[Long, Long]) = begun(fullState(FullStateDraft(
      OffsetRange(4),
      retention = Retention(messages = Some(100)),
      startOffsets = starts)))
    refused(open(starts), open(others), "start offsets `{1: 8}`, but the query has `{0: 2, 1: 8}`")
  }

  test("S2: the start offsets of a join stay") {
    def open(starts: Map[Long, Long]) = begun(join(JoinDraft(
      Seq(JoinStream("left", Some(OffsetRange(4))), JoinStream("right", Some(Over.Range(span(20))))),
      hasKeys = true,
      retention = Retention(time = Some(span(50)), messages = Some(100)),
      startOffsets = Map("left" -> starts))))
    refused(open(starts), open(others), "start offsets of 'left' `{1: 8}`, but the query has `{0: 2, 1: 8}`")
  }

  Seq(Sliding(span(10), span(1)), Over.Range(span(10))).foreach { window =>
    test(s"S2: of $window it stays whether panes come on time") {
      def open(onTime: Boolean) =
        begun(aggregate(WindowOperatorDraft(window, onTime = onTime, accumulation = Some(Accumulating))))
      refused(open(true), open(false), "panes on time `trigger(onTime=true)`, but the query has `trigger(onT")
      refused(open(false), open(true), "panes on time")
    }
  }

  private def every(micros: Long): PaneTrigger = EveryPeriod(span(micros))

  for {
    (name, window, isSliced) <- Seq(
      ("session", Session(span(1000)), false),
      ("tumbling", Tumbling(span(1000)), true),
      ("sliding", Sliding(span(1000), span(1)), false),
      ("offsets", OffsetRange(1000), true),
      ("count", Count(1000), true))
    was <- Seq(Never, every(100))
  } {
    val draft = WindowOperatorDraft(window, late = every(100), accumulation = Some(Accumulating))
    if (was != Never || !isSliced)
      firesByTheNewPeriod(
        s"$name, before: $was",
        aggregate(draft.copy(early = was)),
        aggregate(draft.copy(early = every(10))))
  }

  private def firesByTheNewPeriod(name: String, was: Opening, now: Opening): Unit =
    test(s"R14: what waits goes by a period that a restart brings: $name") {
      val store = new InMemoryShardStore
      val first = was(0, store)
      first.operator.follow(Seq(event(1, 1)), Some(0), Some(5))
      assert(first.take().isEmpty)
      first.close()
      val second = now(0, store)
      second.operator.follow(Nil, Some(0), Some(9))
      assert(second.take().isEmpty)
      second.operator.follow(Nil, Some(0), Some(12))
      assert(second.take().map(_.value) == Seq(Seq(1L)))
    }

  /** Opens an operator and runs a first step, so that it has state. */
  private def begun(open: Opening): Opening = (lateness, store) => {
    val running = open(lateness, store)
    running.follow(Nil, 1)
    running.take()
    running
  }
}
