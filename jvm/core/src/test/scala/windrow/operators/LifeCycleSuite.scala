package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.state.{DamagedStateError, InMemoryShardStore, ShardStore, Space}

/** Tests the common life cycle of all standalone operators: checkpoint, reset, drain, ledger, full queues
  * (SEMANTICS R28, R60, R74).
  */
class LifeCycleSuite extends AnyFunSuite {
  import LifeCycleSuite._

  private def forAll(what: String)(check: OperatorKind => Unit): Unit =
    OperatorKind.all.foreach(kind => test(s"$what: $kind")(check(kind)))

  forAll("R60: reset to a checkpoint goes on as if nothing had happened") { kind =>
    val actions = script(kind, seed = 7)
    val whole   = kind.open()
    val rest    = kind.open()
    whole.operator.addMessage(kind.streams.head, Event(kind.streams.head, "gone", 3, 1, 999))
    whole.operator.reset() // as if no message had arrived
    actions.zipWithIndex.foreach { case (action, i) =>
      action(whole.operator)
      val out = whole.take()
      action(rest.operator)
      assert(rest.take() == out, s"action $i")
      if (i % 5 == 2) {
        val image = rest.operator.checkpoint()
        rest.operator.addMessage(kind.streams.head, Event(kind.streams.head, "x", 50, 9, 10000L + i))
        rest.operator.addMessage(kind.streams.last, Event(kind.streams.last, "x", 50, 9, 20000L + i))
        rest.operator.reset(image)
        assert(rest.take().isEmpty, s"after action $i")
      }
    }
    whole.operator.finish()
    rest.operator.finish()
    assert(rest.take() == whole.take())
  }

  forAll("R60: a checkpoint of other windows is refused, and so is a damaged one; the operator goes on") { kind =>
    val other   = OperatorKind.all(OperatorKind.all.indexOf(kind) match { case 0 => 1; case i => i - 1 })
    val image   = other.open()
    val running = kind.open()
    running.operator.addMessage(kind.streams.head, Event(kind.streams.head, "a", 10, 1, 1))
    running.take()
    image.operator.addMessage(other.streams.head, Event(other.streams.head, "a", 10, 1, 1))
    image.operator.flush()
    val foreign = image.operator.checkpoint()
    val ledger  = running.operator.ledger
    intercept[CheckpointError](running.operator.reset(foreign))
    val damaged = running.operator.checkpoint()
    damaged(damaged.length / 2) = (damaged(damaged.length / 2) ^ 1).toByte
    intercept[DamagedStateError](running.operator.reset(damaged))
    assert(running.operator.ledger == ledger && ledger.accepted == 1)
    running.operator.addMessage(kind.streams.head, Event(kind.streams.head, "a", 10, 1, 1))
    assert(running.operator.ledger.duplicates == 1)
  }

  test("R60: outputs that wait would be in no checkpoint") {
    val kind    = OperatorKind.all.find(_.name == "tumbling policy windows").get
    val running = kind.open()
    running.operator.addMessage("messages", Event("messages", "a", 10, 1, 1))
    val error = intercept[CheckpointError](running.operator.checkpoint())
    assert(error.getMessage.startsWith("[OUTPUTS_WAIT] There are still 1 outputs in the operator."))
    running.operator.flush()
    assert(running.operator.checkpoint().nonEmpty)
  }

  test("R60: a store that cannot be listed raises an error") {
    val plain = new ShardStore {
      private val inside                      = new InMemoryShardStore
      def header: Array[Byte]                 = inside.header
      def putHeader(bytes: Array[Byte]): Unit = inside.putHeader(bytes)
      def space(name: String): Space          = inside.space(name)
    }
    val running = OperatorKind.all.head.open(plain)
    assert(intercept[CheckpointError](running.operator.checkpoint()).getMessage.startsWith("[STORE_NOT_LISTED]"))
  }

  forAll("R13, R41, R74: the ledger adds up; what a hook withholds is applied and counted") { kind =>
    var isOpen  = false
    val running = kind.open(admit = event => Option.when(isOpen || event.offset % 4 != 0)(event))
    val input   = script(kind, seed = 3).collect { case add: Add => add }
    input.foreach(_(running.operator))
    val once  = running.operator.ledger
    val count = input.map(_.messages.size).sum.toLong
    val known = input.flatMap(add => add.messages.map(one => (add.stream, one.offset))).distinct
    assert(once.read == count)
    assert(once.filtered == known.count(_._2 % 4 == 0) && once.accepted > 0)
    assert(once.duplicates == count - known.size)
    isOpen = true
    input.foreach(_(running.operator))
    assert(running.operator.ledger == once.copy(
      duplicates = once.duplicates + count,
      retired = running.operator.ledger.retired,
      overRetention = running.operator.ledger.overRetention))
    running.operator.reset()
    assert(running.operator.ledger == Ledger(0, Map.empty, 0, 0, 0, 0, 0))
  }

  forAll("R28: a bounded queue of outputs takes no message while it is full") { kind =>
    val actions = script(kind, seed = 11)
    val free    = kind.open()
    val bounded = kind.open(maxWaiting = Some(2))
    var wasFull = 0
    actions.foreach { action =>
      action(free.operator)
      if (!bounded.operator.acceptsInput) {
        wasFull += 1
        action match {
          case add: Add => intercept[BackpressureError](add(bounded.operator))
          case _        => action(bounded.operator) // time waits
        }
        bounded.take()
        if (action.isInstanceOf[Add]) action(bounded.operator)
      } else action(bounded.operator)
    }
    free.take()
    bounded.take()
    assert(wasFull > 0)
    Seq(free, bounded).foreach(_.operator.finish())
    assert(bounded.operator.ledger.read >= free.operator.ledger.read)
  }

  forAll("R30: a watermark that comes while the downstream is full is not lost") { kind =>
    var room              = Int.MaxValue
    var sent              = Vector.empty[String]
    def send(out: String) = { if (room > 0) sent :+= out; room -= 1; room >= 0 }
    val whole             = kind.open()
    val running           = kind.open(send = Some(send))
    val input = (1L to 9L).map { i =>
      val stream = kind.streams((i % kind.streams.size).toInt)
      Event(stream, "a", i * 5, i, i)
    }
    Seq(whole, running).foreach(_.operator.timeout(1))
    input.take(5).foreach(one => Seq(whole, running).foreach(_.operator.addMessage(one.stream, one)))
    Seq(whole, running).foreach(_.operator.advanceWatermark(10))
    room = 0
    input.drop(5).foreach { one =>
      if (running.operator.acceptsInput) Seq(whole, running).foreach(_.operator.addMessage(one.stream, one))
    }
    Seq(whole, running).foreach(_.operator.timeout(90, Some(60)))
    assert(sent != whole.waiting)
    room = Int.MaxValue
    running.operator.drain()
    assert(running.operator.acceptsInput && sent == whole.waiting)
  }

  forAll("R28: a send that fails loses no output and no watermark of a stream") { kind =>
    var isBroken          = false
    var sent              = Vector.empty[String]
    def send(out: String) = { if (isBroken) throw new Crash; sent :+= out; true }
    val whole             = kind.open()
    val running           = kind.open(send = Some(send))
    def both(call: WindowOperator[Event, _] => Unit): Unit = {
      call(whole.operator)
      try call(running.operator)
      catch { case _: Crash => () }
    }
    both(_.timeout(1))
    for (stream <- kind.streams; i <- 1L to 3L) both(_.addMessage(stream, Event(stream, "a", i * 10, i, i)))
    isBroken = true
    kind.streams.zipWithIndex.foreach { case (stream, i) => both(_.advanceWatermark(stream, 60L + i)) }
    both(_.timeout(90))
    isBroken = false
    both(_.advanceWatermark(kind.streams.head, 500))
    assert(running.operator.acceptsInput && sent == whole.waiting)
    assert(running.operator.watermark == whole.operator.watermark)
  }

  forAll("R28, R60: a rejected reset leaves a full downstream as it was; a reset drops its outputs") { kind =>
    var room    = false
    var sent    = Vector.empty[String]
    val running = kind.open(send = Some { out => if (room) sent :+= out; room })
    for (stream <- kind.streams; i <- 1L to 3L if running.operator.acceptsInput)
      running.operator.addMessage(stream, Event(stream, "a", i, i * 9, i))
    running.operator.timeout(1, Some(60))
    running.operator.timeout(90)
    val waiting = running.waiting
    assert(waiting.nonEmpty && !running.operator.acceptsInput && !running.operator.drain())
    assert(intercept[CheckpointError](running.operator.checkpoint()).getMessage.startsWith("[OUTPUTS_WAIT]"))
    val foreign = OperatorKind.all((OperatorKind.all.indexOf(kind) + 1) % OperatorKind.all.size).open()
    foreign.operator.addMessage(foreign.operator.inputStreams.head, Event("messages", "a", 1, 1, 1))
    foreign.operator.flush()
    intercept[CheckpointError](running.operator.reset(foreign.operator.checkpoint()))
    assert(running.waiting == waiting && !running.operator.acceptsInput)
    running.operator.reset()
    assert(running.waiting.isEmpty && running.operator.acceptsInput)
    room = true
    running.operator.finish()
    assert(sent.isEmpty)
  }

  test("a composite is checkpointed and reset as one (R40, R60)") {
    def composite(out: String => Unit): CompositeOperator[Event] = {
      val all = new CompositeOperator[Event]("two")
      def window(next: Event => Unit) = new AggregatedWindowOperator[String, Event, Long, Long](
        WindowOperatorDraft(Tumbling(TimeSpan(10)), Some(TimeSpan(0))).checked,
        Event,
        Sum,
        _.value,
        Context(send = Some { (pane: Pane[String, Long]) =>
          next(Event("sums", pane.key, pane.end - 1, pane.value, pane.start)); true
        }),
        "messages")
      def keep(next: Event => Unit) = new FullStateWindowOperator[String, Event](
        FullStateDraft(
          Tumbling(TimeSpan(20)),
          Some(TimeSpan(0)),
          early = Never,
          retention = Retention(time = Some(TimeSpan(100)))).checked,
        Event,
        Context(send = Some { (pane: Pane[String, Seq[Event]]) => pane.value.foreach(next); true }),
        "sums")
      all.addOperator(Seq("messages"), "sums")(window)
      all.addOperator(Seq("sums"), "out")(keep)
      all.onOutput("out")(event => out(s"${event.key} ${event.time} ${event.value}"))
      all.init()
      all
    }
    var out     = Vector.empty[String]
    val running = composite(line => out :+= line)
    running.process("messages", Event("messages", "a", 1, 5, 1))
    running.process("messages", Event("messages", "a", 12, 7, 2))
    running.refresh(0, Some(10))
    assert(running.drain())
    val image = running.checkpoint()
    running.refresh(1, Some(40))
    assert(out == Vector("a 9 5", "a 19 7"))
    running.reset(image)
    running.refresh(2, Some(40))
    assert(out == Vector("a 9 5", "a 19 7", "a 9 5", "a 19 7"))
    val fresh = composite(line => out :+= line)
    fresh.reset(image)
    fresh.process("messages", Event("messages", "a", 2, 5, 1)) // a replay
    fresh.refresh(3, Some(40))
    assert(out.drop(4) == Vector("a 9 5", "a 19 7"))
    fresh.reset()
    fresh.refresh(3, Some(90))
    assert(out.size == 6)
  }
}

object LifeCycleSuite {

  sealed trait Action {
    def apply(operator: WindowOperator[Event, _]): Unit
  }

  final case class Add(stream: String, messages: Seq[Event]) extends Action {
    def apply(operator: WindowOperator[Event, _]): Unit = operator.addMessages(stream, messages)
  }

  final case class Time(now: Long, watermark: Option[Long]) extends Action {
    def apply(operator: WindowOperator[Event, _]): Unit = operator.timeout(now, watermark)
  }

  /** A script with disorder, duplicates, and progress of time. The same seed gives the same script. */
  def script(kind: OperatorKind, seed: Long): Seq[Action] = {
    val random = new Random(seed)
    var offset = 0L
    (0 until 60).map { i =>
      if (i % 3 == 2) Time(i * 4L, Option.when(random.nextInt(4) > 0)(i * 3L - 20))
      else {
        val stream = kind.streams(random.nextInt(kind.streams.size))
        Add(
          stream,
          Seq.fill(1 + random.nextInt(3)) {
            offset += 1
            val at = if (random.nextInt(8) == 0) math.max(1, offset - 3) else offset
            Event(stream, Seq("a", "b")((at % 2).toInt), math.max(0, i * 3L - random.nextInt(25)), at % 10, at)
          })
      }
    }
  }
}
