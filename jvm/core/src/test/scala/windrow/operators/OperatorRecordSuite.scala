package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow.CheckpointError
import windrow.core.state.InMemoryShardStore

/** Tests what an operator stores in addition to its state. */
class OperatorRecordSuite extends AnyFunSuite {

  test("S2: a store belongs to one identity, which has no part more, less or in other words") {
    def check(kept: Seq[String], stated: Seq[String]): Unit = {
      val store = new InMemoryShardStore
      new OperatorRecord(store, kept).write(None)
      new OperatorRecord(store, stated).check()
    }
    check(Seq("windows", "sum"), Seq("windows", "sum"))
    check(Nil, Seq("windows", "sum")) // nothing was written
    val error = intercept[CheckpointError](check(Seq("windows", "count"), Seq("windows", "sum")))
    assert(error.getMessage.startsWith("[SPEC_CHANGED]"))
    intercept[CheckpointError](check(Seq("windows"), Seq("windows", "sum")))
    intercept[CheckpointError](check(Seq("windows", "sum"), Seq("windows")))
  }

  test("R63: the last clock is read again") {
    val store  = new InMemoryShardStore
    val record = new OperatorRecord(store, Nil)
    assert(record.clock.isEmpty)
    Seq(Some(5L), None, Some(7L)).foreach(record.write)
    assert(new OperatorRecord(store, Nil).clock.contains(7L))
  }

  private def opened(store: InMemoryShardStore, identity: String): WindowOperator[Event, _] = {
    val operator = new AggregatedWindowOperator[String, Event, Long, Long](
      AggregatedWindowOperator.draft(windrow.Tumbling(windrow.TimeSpan(60))).copy(
        lateness = Some(windrow.TimeSpan(0))).checked,
      Event,
      Sum,
      _.value,
      Context(store = store, identity = Seq(identity)))
    operator.init()
    operator
  }

  test("S2: a store and a checkpoint continue only with their own identity; a refused reset changes nothing") {
    val store = new InMemoryShardStore
    val begun = opened(store, "sum(price)")
    begun.addMessage("messages", Event("messages", "a", 1, 5, 1))
    begun.flush()
    val kept  = begun.checkpoint()
    val error = intercept[CheckpointError](opened(store, "sum(cost)"))
    assert(error.getMessage.contains("sum(price)") && error.getMessage.contains("sum(cost)"))
    val other = opened(new InMemoryShardStore, "sum(cost)")
    other.addMessage("messages", Event("messages", "a", 1, 7, 1))
    intercept[CheckpointError](other.reset(kept))
    assert(other.ledger.accepted == 1)
    other.finish()
    assert(other.getResult().size == 1)
    opened(store, "sum(price)").reset(kept)
  }

  test("R5, R71: a rejected message has the watermark before its step, and a clock that never falls") {
    val operator = opened(new InMemoryShardStore, "sum")
    operator.follow(Nil, Some(60), Some(9))
    operator.follow(Seq("messages" -> Event("messages", "a", 5, 1, 1)), Some(120), Some(5))
    operator.finish()
    operator.addMessage("messages", Event("messages", "a", 6, 1, 2))
    assert(operator.takeRejected().map(one => (one.watermark, one.processingTime)) ==
      Seq((Some(60L), Some(9L)), (None, Some(9L))))
  }
}
