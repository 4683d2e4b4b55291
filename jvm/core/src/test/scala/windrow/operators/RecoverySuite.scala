package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow._
import windrow.core.Full
import windrow.core.state.InMemoryShardStore

/** Tests the times at which values are persisted, and the result of a replay after a crash or the loss of a store
  * (SEMANTICS R25-R27).
  */
@Slow
class RecoverySuite extends AnyFunSuite {

  /** A crash is tried at every write up to this one, and then at fewer and fewer. */
  private val everyUpTo = if (Full.isFull) 60 else 8

  private def forAll(what: String)(check: OperatorKind => Unit): Unit =
    OperatorKind.all.foreach(kind => test(s"$what: $kind")(check(kind)))

  /** Runs a script. Returns the sent output, and whether the script ended without a crash. */
  private def run(kind: OperatorKind, store: InMemoryShardStore, writes: Int = Int.MaxValue): (Seq[String], Boolean) = {
    var sent = Vector.empty[String]
    try {
      val running = kind.open(new BreakingStore(store, writes), send = Some { out => sent :+= out; true })
      LifeCycleSuite.script(kind, seed = 21).foreach(_(running.operator))
      running.operator.finish()
      (sent, true)
    } catch { case _: Crash => (sent, false) }
  }

  forAll(
    "R26: a crash between any two writes, and a replay from the start: nothing is lost, and only what the crash left " +
      "unrecorded is sent again") { kind =>
    val (whole, _) = run(kind, new InMemoryShardStore)
    var writes     = 0
    var isOver     = false
    while (!isOver) {
      val store          = new InMemoryShardStore
      val (before, over) = run(kind, store, writes)
      val (after, _)     = run(kind, store)
      isOver = over
      assert(whole.startsWith(before), s"crash at write $writes")
      assert(whole.endsWith(after), s"crash at write $writes")
      assert(before.size + after.size >= whole.size, s"crash at write $writes")
      writes += 1 + writes / everyUpTo
    }
    assert(writes > 60 && whole.size > 10)
  }

  forAll("R25: each commit writes messages, then metadata, then the offsets") { kind =>
    val store   = new BreakingStore(new InMemoryShardStore)
    val running = kind.open(store)
    LifeCycleSuite.script(kind, seed = 2).foreach(_(running.operator))
    assert(store.log.isEmpty) // nothing before the flush
    running.operator.flush()
    val order = store.log.toSeq.filterNot(_ == "journal")
    assert(store.log.head == "journal" && store.log.last == "journal")
    assert(order.lastOption.contains("") && order.count(_ == "") == 1)
    assert(order == order.filter(_ == "messages") ++ order.filterNot(_ == "messages"))
  }

  test("R26: stored rows were sent, and the checkpointed offset is not after them") {
    val store = new InMemoryShardStore
    var sent  = Set.empty[Long]
    var room  = 25
    def send(pane: Pane[String, Seq[Event]]) = {
      if (room > 0) sent ++= pane.value.map(_.offset)
      room -= 1
      room >= 0
    }
    val spec = FullStateDraft(
      Tumbling(TimeSpan(60)),
      Some(TimeSpan(0)),
      retention = Retention(time = Some(TimeSpan(600)))).checked
    val operator = new FullStateWindowOperator[String, Event](spec, Event, Context(store = store, send = Some(send)))
    operator.init()
    intercept[BackpressureError]((0L until 40L).foreach { i =>
      operator.addMessage("messages", Event("messages", if (i % 3 == 0) "a" else "b", i * 7 % 200, i, i))
    })
    val again = new FullStateWindowOperator[String, Event](spec, Event, Context(store = store.snapshot))
    again.init()
    val kept    = again.getMessages(None, None).map(_.offset)
    val windows = again.getWindows(None, None)
    assert(kept.nonEmpty && kept.forall(sent))
    assert(windows.map(_.count).sum == kept.size && windows.flatMap(_.offsets.values.map(_.last)).max == kept.max)
    val duplicates = (0L until 40L).count { i =>
      again.addMessage("messages", Event("messages", if (i % 3 == 0) "a" else "b", i * 7 % 200, i, i))
      again.ledger.accepted == 0
    }
    assert(duplicates == kept.size)
  }

  forAll("R27: a lost store is rebuilt by a replay from the offsets that were given") { kind =>
    val script = LifeCycleSuite.script(kind, seed = 31).collect { case add: LifeCycleSuite.Add => add }
    val whole  = kind.open()
    script.foreach(_(whole.operator))
    whole.operator.timeout(100, Some(60))
    val from = whole.operator.restartOffsets()
    val rest = kind.open()
    script.foreach { add =>
      add.copy(messages = add.messages.filter(one => one.offset >= from(SourcePartition(add.stream, 0))))(rest.operator)
    }
    rest.operator.timeout(100, Some(60))
    Seq(whole, rest).foreach(_.take())
    assert(rest.operator.restartOffsets() == from)
    Seq(whole, rest).foreach { one =>
      one.operator.addMessages(
        kind.streams.head,
        (1L to 6L).map(i => Event(kind.streams.head, "a", 58 + i, i, 900 + i)))
      one.operator.timeout(101, Some(70))
    }
    def values(running: OperatorKind.Running) = running.take().map(_.split(" ").last)
    if (kind.isRebuiltInFull) assert(values(rest) == values(whole))
  }
}
