package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore}

/** Checks that a failed step leaves the operator as it was before it (SEMANTICS S9). */
class FailedStepSuite extends AnyFunSuite {
  import FailedStepSuite._

  private type Out = Pane[String, Long]

  private def event(offset: Long, key: String, time: Long, value: Long) = Event("messages", key, time, value, offset)

  private def open(store: InMemoryShardStore = new InMemoryShardStore, window: WindowKind = Tumbling(TimeSpan(60))) = {
    val operator = new AggregatedWindowOperator[String, Event, Long, Long](
      WindowOperatorDraft(window, Some(TimeSpan(0))).checked,
      Event,
      SumOfGood,
      event => if (event.value < 0) throw new Bad else event.value,
      Context[Event, Out](store = store))
    operator.init()
    operator
  }

  private def shown(operator: WindowOperator[Event, Out]) =
    operator.getResult().map(pane => (pane.key, pane.start, pane.value))

  Seq(Tumbling(TimeSpan(60)), Session(TimeSpan(60)), Sliding(TimeSpan(60), TimeSpan(60))).foreach { window =>
    test(s"what stood before the message that fails is not applied, nor flushed: $window") {
      val store    = new InMemoryShardStore
      val operator = open(store, window)
      operator.addMessage("messages", event(1, "a", 1, 10))
      val ledger = operator.ledger
      // A sliding window combines its messages when it fires; the others combine them when they arrive.
      val fails = if (window.isInstanceOf[Sliding]) -1L else 1000L
      intercept[Bad](operator.addMessages(
        "messages",
        Seq(event(2, "a", 2, 1), event(3, "b", 3, 1), event(4, "b", 4, fails), event(5, "c", 5, 1))))
      assert(operator.ledger == ledger)
      operator.addMessages("messages", Seq(event(2, "a", 2, 1), event(3, "b", 3, 5)))
      operator.flush()

      val again = open(store, window)
      again.addMessage("messages", event(2, "a", 2, 1)) // a replay
      again.finish()
      assert(shown(again).collect { case ("a", _, value) => value }.last == 11)
      assert(shown(again).filter(_._1 == "b").map(_._3) == Seq(5L))
      assert(!shown(again).exists(_._1 == "c"))
    }
  }

  test("values of an earlier step, and flushed values, stay") {
    val store    = new InMemoryShardStore
    val operator = open(store)
    operator.addMessage("messages", event(1, "a", 1, 10))
    operator.flush()
    operator.addMessage("messages", event(2, "a", 2, 1))
    (1 to 2).foreach(_ =>
      intercept[Bad](operator.addMessages("messages", Seq(event(3, "a", 3, 1), event(4, "a", 4, -1)))))
    operator.flush()
    val again = open(store)
    again.finish()
    assert(shown(again) == Seq(("a", 0, 11)))
  }

  test("R41: a row that a hook withholds is not read, and its offset is stored until the row is too late") {
    val operator = new AggregatedWindowOperator[String, Event, Long, Long](
      WindowOperatorDraft(Tumbling(TimeSpan(60)), Some(TimeSpan(0))).checked,
      Event,
      SumOfGood,
      event => if (event.value < 0) throw new Bad else event.value,
      Context[Event, Out](hooks = Hooks(message => Option.when(message.value > 0)(message), Some(_))))
    operator.init()
    operator.addMessages("messages", Seq(event(1, "a", 1, -1), event(2, "a", 2, 7)))
    operator.addMessages("messages", Seq(event(1, "a", 1, -1)))
    assert(operator.filteredCount == 1 && operator.ledger.duplicates == 1)
    operator.addMessages("messages", (10L until 3000L by 2).map(event(_, "b", 59, -1)))
    operator.addMessages("messages", Seq(event(1, "a", 1, 1)))
    operator.finish()
    assert(shown(operator) == Seq(("a", 0, 7)) && operator.takeRejected().isEmpty)
  }

  test("no time goes on with a step that fails, and none is owed") {
    val operator = open()
    operator.addMessage("messages", event(1, "a", 1, 10))
    intercept[Bad](operator.follow(Seq("messages" -> event(2, "a", 2, -1)), Some(600), Some(7)))
    operator.addMessage("messages", event(2, "a", 2, 1))
    assert(shown(operator).isEmpty && !operator.watermark.isDefined)
    operator.advanceWatermark(60)
    assert(shown(operator) == Seq(("a", 0, 11)))
  }
}

private object FailedStepSuite {
  final class Bad extends IllegalStateException("bad")

  /** Sums that fail above 1,000. */
  object SumOfGood extends Aggregation[Long, Long] {
    def zero: Long = 0
    def combine(left: Long, right: Long): Long = {
      if (left + right > 1000) throw new Bad
      left + right
    }
    def copy(buffer: Long): Long                  = buffer
    def lower(buffer: Long): Long                 = buffer
    def write(value: Long, out: ByteWriter): Unit = out.long(value)
    def read(in: ByteReader): Long                = in.long()
  }
}
