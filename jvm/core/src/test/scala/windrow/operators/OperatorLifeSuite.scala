package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.InMemoryShardStore

/** Tests the life of standalone operators: contexts, back-pressure, and the times at which values are persisted
  * (SEMANTICS R25-R31, R40-R42).
  */
class OperatorLifeSuite extends AnyFunSuite {
  private type Out = Pane[String, Seq[Event]]

  private val spec = FullStateDraft(
    Tumbling(TimeSpan(60)),
    lateness = Some(TimeSpan(0)),
    retention = Retention(time = Some(TimeSpan(600)))).checked

  private val perPane = FullStateDraft(
    Tumbling(TimeSpan(60)),
    Some(TimeSpan(0)),
    early = Never,
    retention = Retention(time = Some(TimeSpan(600)))).checked

  private def event(offset: Long, time: Long, key: String = "a") = Event("messages", key, time, offset * 10, offset)

  private def open(context: Context[Event, Out], spec: FullStateSpec = spec) = {
    val operator = new FullStateWindowOperator(spec, Event, context)
    operator.init()
    operator
  }

  private def shown(panes: Seq[Out]) =
    panes.map(pane => (pane.start, pane.timing, pane.index, pane.value.map(_.offset)))

  test("E24: a downstream that refuses disables the selector; timeout drains and enables it (R28, R30)") {
    var room            = 1
    val taken           = Seq.newBuilder[Out]
    def send(pane: Out) = { if (room > 0) taken += pane; room -= 1; room >= 0 }
    val operator        = open(Context(send = Some(send)), perPane)
    operator.addMessage("messages", event(1, 10))
    operator.addMessage("messages", event(2, 70))
    assert(operator.acceptsInput && operator.getResult().isEmpty)
    operator.advanceWatermark(120) // two windows fire, the downstream accepts one
    assert(!operator.acceptsInput && shown(operator.getResult()) == Seq((60L, Timing.OnTime, 0L, Seq(2L))))

    val error = intercept[BackpressureError](operator.addMessage("messages", event(3, 130)))
    assert(error.getMessage.startsWith("[DOWNSTREAM_FULL]"))
    assert(operator.getMessages(None, None).map(_.offset) == Seq(1L, 2L))

    room = 0
    operator.timeout(1)
    assert(!operator.acceptsInput)
    room = 5
    operator.timeout(2)
    assert(operator.acceptsInput && operator.getResult().isEmpty)
    assert(shown(taken.result()) == Seq((0L, Timing.OnTime, 0L, Seq(1L)), (60L, Timing.OnTime, 0L, Seq(2L))))
    operator.addMessage("messages", event(3, 130))
    assert(operator.getMessages(None, None).map(_.offset) == Seq(1L, 2L, 3L))
  }

  test("R28, R41: outputs that beforeSend fails on are shown to it again, by any next call") {
    Seq[WindowOperator[Event, Out] => Unit](_.getResult(), _.drain(), _.timeout(9), _.flush()).foreach { next =>
      var isBroken = true
      var sent     = Seq.empty[Out]
      val hooks = Hooks[Event, Out](
        Some(_),
        out => if (isBroken) throw new IllegalStateException("broken") else { sent :+= out; Some(out) })
      val operator = open(Context(hooks = hooks), perPane)
      operator.addMessage("messages", event(1, 10))
      intercept[IllegalStateException](operator.advanceWatermark(60))
      intercept[IllegalStateException](next(operator))
      isBroken = false
      next(operator)
      operator.finish()
      assert(shown(sent) == Seq((0L, Timing.OnTime, 0L, Seq(1L))))
    }
  }

  test("without send outputs wait; getResult copies, flush means taken (R31)") {
    val store    = new InMemoryShardStore
    val operator = open(Context(store = store))
    operator.addMessage("messages", event(1, 10))
    operator.addMessage("messages", event(2, 20))
    assert(shown(operator.getResult()) == Seq((0L, Timing.Early, 0L, Seq(1L)), (0L, Timing.Early, 1L, Seq(2L))))
    assert(operator.getResult().size == 2)
    operator.flush()
    assert(operator.getResult().isEmpty)
    operator.addMessage("messages", event(3, 30)) // not flushed
    operator.close()

    val again = open(Context(store = store))
    assert(again.getMessages(None, None).map(_.offset) == Seq(1L, 2L))
    Seq(event(1, 10), event(2, 20), event(3, 30)).foreach(again.addMessage("messages", _)) // the replay
    assert(shown(again.getResult()) == Seq((0L, Timing.Early, 2L, Seq(3L))))
  }

  test("nothing works before init or after close (R40)") {
    val operator = new FullStateWindowOperator(spec, Event)
    intercept[IllegalStateException](operator.addMessage("messages", event(1, 1)))
    intercept[IllegalStateException](operator.advanceWatermark("messages", 1))
    operator.init()
    intercept[IllegalArgumentException](operator.init())
    operator.close()
    intercept[IllegalStateException](operator.getMessages(None, None))
  }

  test("R28: a reopened operator does not depend on its earlier use") {
    var room  = false
    val store = new InMemoryShardStore
    val taken = Seq.newBuilder[Out]
    val operator = new FullStateWindowOperator(
      perPane,
      Event,
      Context[Event, Out](store = store, send = Some(pane => { if (room) taken += pane; room })))
    operator.init()
    operator.addMessage("messages", event(1, 10))
    operator.advanceWatermark(60)  // refused
    operator.advanceWatermark(130) // owed
    assert(!operator.acceptsInput)
    operator.close()

    operator.init()
    room = true
    operator.timeout(1)
    operator.addMessage("messages", event(2, 70)) // would be too late
    operator.advanceWatermark(130)
    assert(operator.takeRejected().isEmpty && operator.acceptsInput)
    assert(shown(taken.result()).contains((60L, Timing.OnTime, 0L, Seq(2L))))
  }

  test("hooks replace and withhold, before any check and before sending (R41)") {
    val hooks = Hooks[Event, Out](
      message => Option.when(message.value >= 0)(message.copy(value = message.value + 1)),
      pane => Option.when(pane.key != "secret")(pane))
    val operator = open(Context(hooks = hooks))
    operator.addMessages("messages", Seq(event(1, 1), event(2, 2).copy(value = -1), event(3, 3, "secret")))
    assert(operator.getResult().flatMap(_.value).map(_.value) == Seq(11L))
    assert(operator.filteredCount == 1)
    assert(operator.getMessages(None, None).map(_.offset) == Seq(1L, 3L))
  }

  test("refused messages come with their reasons, once") {
    val operator = open(Context())
    operator.advanceWatermark(1000)
    operator.addMessages("messages", Seq(event(1, 950), event(2, 100), event(3, 990)))
    val reasons = operator.takeRejected().map(rejected => (rejected.message.offset, rejected.reason))
    assert(reasons.toSet == Set(1L -> Reason.TooLate, 2L -> Reason.OutOfRetention))
    assert(operator.takeRejected().isEmpty)
  }

  test("a count limit removes no rows from an open window, and reports the excess (R10)") {
    val counted = FullStateDraft(
      Tumbling(TimeSpan(60)),
      lateness = Some(TimeSpan(0)),
      retention = Retention(messages = Some(2))).checked
    val operator = open(Context(), counted)
    operator.addMessages("messages", Seq(event(1, 1), event(2, 2), event(3, 3), event(4, 70), event(5, 5, "b")))
    assert(operator.ledger.overRetention == 2 && operator.ledger.retired == 0)
    operator.advanceWatermark(60)
    assert(operator.ledger.overRetention == 0 && operator.ledger.retired == 2)
    assert(operator.getMessages(None, None, Some("a")).map(_.offset) == Seq(3L, 4L))
    assert(operator.getWindow("a", 0).map(_.count).contains(3L))
  }

  private val input = (0L until 40L).map(i => event(i, i * 7 % 200, if (i % 3 == 0) "a" else "b"))

  private def feed(operator: FullStateWindowOperator[String, Event]): Unit = input.foreach { message =>
    operator.addMessage("messages", message)
    if (message.offset % 7 == 6) operator.advanceWatermark(message.offset * 3)
  }

  test("R26: stored rows were sent") {
    val store           = new InMemoryShardStore
    var sent            = Set.empty[Long]
    var room            = 25
    def send(pane: Out) = { if (room > 0) sent ++= pane.value.map(_.offset); room -= 1; room >= 0 }
    val operator        = open(Context(store = store, send = Some(send)))
    intercept[BackpressureError](feed(operator))
    val kept = open(Context(store = store.snapshot)).getMessages(None, None).map(_.offset)
    assert(kept.nonEmpty && kept.forall(sent))
  }
}
