package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.{ByteReader, ByteWriter}

/** Tests two streams in the same windows (SEMANTICS R56). */
class MergedWindowOperatorSuite extends AnyFunSuite {
  private val streams = Seq("ads", "buys")
  private val tens    = WindowOperatorDraft(Tumbling(TimeSpan(10)), Some(TimeSpan(0))).checked

  private def ad(offset: Long, time: Long, key: String = "a")  = Event("ads", key, time, offset, offset)
  private def buy(offset: Long, time: Long, key: String = "a") = Event("buys", key, time, offset, offset)

  private def open[B, V](spec: WindowOperatorSpec, merge: MergeAccumulation[Event, B, V]) = {
    val operator = new MergedWindowOperator[String, Event, B, V](spec, streams, Event, merge)
    operator.init()
    operator
  }

  private def numbers(panes: Seq[Pane[String, Vector[Vector[Event]]]]) =
    panes.map(pane => (pane.key, pane.start, pane.timing, pane.value.map(_.map(_.offset))))

  test("E5: a co-group has the lists of both streams in order of event time, whatever the order of arrival") {
    val merged = open(tens, new CoGroup(2, Event.messages))
    merged.addMessages("ads", Seq(ad(1, 9), ad(2, 3)))
    merged.addMessage("buys", buy(1, 5))
    merged.addMessage("ads", ad(3, 5))
    merged.addMessage("buys", buy(2, 15, "b"))
    merged.advanceWatermark(20)
    assert(numbers(merged.getResult()) == Seq(
      ("a", 0L, Timing.OnTime, Vector(Vector(2L, 3L, 1L), Vector(1L))),
      ("b", 10L, Timing.OnTime, Vector(Vector(), Vector(2L)))))
  }

  test("the watermark is the minimum of the streams' watermarks, and late rows of one stream are rejected by it") {
    val merged = open(tens, new CoGroup(2, Event.messages))
    merged.addMessage("ads", ad(1, 5))
    merged.advanceWatermark("ads", 100)
    assert(merged.getResult().isEmpty)
    merged.addMessage("buys", buy(1, 6))
    merged.advanceWatermark("buys", 8)
    merged.addMessage("ads", ad(2, 7))
    assert(merged.getResult().isEmpty)
    merged.advanceWatermark("buys", 10)
    assert(numbers(merged.getResult()).map(_._4) == Seq(Vector(Vector(1L, 2L), Vector(1L))))
    merged.addMessage("ads", ad(3, 9))
    assert(merged.takeRejected().map(_.reason) == Seq(Reason.TooLate))
    merged.advanceWatermark("buys", 7) // a watermark never falls
    merged.addMessage("buys", buy(2, 9))
    assert(merged.ledger.rejected == Map(Reason.TooLate -> 2L))
    intercept[IllegalArgumentException](merged.advanceWatermark("nobody", 1))
  }

  test("an inner join gives the pairs of a window, and none where one side is missing; accumulation holds") {
    val spec = WindowOperatorDraft(
      Tumbling(TimeSpan(10)),
      Some(TimeSpan(10)),
      late = EachMessage,
      accumulation = Some(AccumulatingAndRetracting)).checked
    val merged = open(spec, new InnerJoin(Event.messages))
    merged.addMessages("ads", Seq(ad(1, 1), ad(2, 2), ad(3, 11)))
    merged.addMessage("buys", buy(7, 3))
    merged.advanceWatermark(10)
    merged.addMessage("buys", buy(8, 2))
    def pairs(pane: Pane[String, Vector[(Event, Event)]]) =
      (pane.isRetraction, pane.value.map { case (ad, buy) => (ad.offset, buy.offset) })
    val first = Vector((1L, 7L), (2L, 7L))
    assert(merged.getResult().map(pairs) == Seq(
      (false, first),
      (true, first),
      (false, Vector((1L, 8L), (1L, 7L), (2L, 8L), (2L, 7L)))))
    merged.flush()
    merged.advanceWatermark(20)
    assert(merged.getResult().map(pairs) == Seq((false, Vector())))
  }

  /** A user-defined aggregate: purchases in excess of ads. */
  private object Surplus extends MergeAccumulation[Event, Long, Long] {
    def lift(stream: Int, event: Event): Long     = if (stream == 0) -event.value else event.value
    override def isOrdered: Boolean               = false
    def zero: Long                                = 0
    def combine(left: Long, right: Long): Long    = left + right
    def copy(buffer: Long): Long                  = buffer
    def lower(buffer: Long): Long                 = buffer
    def write(value: Long, out: ByteWriter): Unit = out.long(value)
    def read(in: ByteReader): Long                = in.long()
  }

  test("a user's own accumulation, on sessions; equal offsets of two streams are two messages (R42)") {
    val spec   = WindowOperatorDraft(Session(TimeSpan(5)), Some(TimeSpan(0))).checked
    val merged = open(spec, Surplus)
    merged.addMessages("ads", Seq(ad(1, 1), ad(2, 4)))
    merged.addMessages("buys", Seq(buy(1, 3), buy(9, 8), buy(9, 8)))
    merged.advanceWatermark(13)
    assert(merged.getResult().map(pane => (pane.start, pane.end, pane.value)) == Seq((1L, 13L, 7L)))
    assert(merged.ledger.duplicates == 1 && merged.ledger.accepted == 4)
  }

  test("wrong names, all at once") {
    def error(names: String*) = intercept[SpecError](
      new MergedWindowOperator[String, Event, Long, Long](tens, names, Event, Surplus)).problems.map(_.code)
    assert(error("a") == Seq("STREAMS_TOO_FEW") && error("a", "b", "a") == Seq("STREAM_TWICE"))
  }
}
