package windrow.operators

import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** Tests operators connected by the names of their streams, and the sources' own example (SEMANTICS R40, R42). */
class CompositeOperatorSuite extends AnyFunSuite {
  private val windows = FullStateDraft(
    Tumbling(TimeSpan(120)),
    lateness = Some(TimeSpan(600)),
    retention = Retention(time = Some(TimeSpan(7200)))).checked

  private val joined = JoinDraft(
    Seq(JoinStream("order"), JoinStream("shipment")),
    hasKeys = true,
    Within.Ranges(Map("shipment" -> JoinRange(TimeSpan(0), TimeSpan(300), isLowOpen = true, isHighOpen = true))),
    lateness = Some(TimeSpan(600))).checked

  private def windowed(input: String)(next: Event => Unit): Operator[Event] = new FullStateWindowOperator(
    windows,
    Event,
    Context[Event, Pane[String, Seq[Event]]](send = Some { pane => pane.value.foreach(next); true }),
    input)

  private def pairs(next: Event => Unit): Operator[Event] = new StreamStreamJoinOperator[String, Event, Event](
    joined,
    Event,
    row =>
      for (order <- row(0); shipment <- row(1))
        yield Event("pairs", order.key, shipment.time, order.value * 100 + shipment.value, shipment.offset),
    Context[Event, Event](send = Some { pair => next(pair); true }))

  private def composite(): CompositeOperator[Event] = {
    val all = new CompositeOperator[Event]("orders with shipments")
    all.addOperator(Seq("order", "shipment"), "pairs")(pairs) // connected through stream names, so any order works
    all.addOperator(Seq("orders"), "order")(windowed("orders"))
    all.addOperator(Seq("shipments"), "shipment")(windowed("shipments"))
    all
  }

  test("the sources' orders and shipments, bounds open (E6)") {
    val all   = composite()
    val found = Seq.newBuilder[(String, Long)]
    all.onOutput("pairs")(pair => found += pair.key -> pair.value)
    all.init()
    def order(offset: Long, key: String, time: Long, value: Long) =
      all.process("orders", Event("order", key, time, value, offset))
    def shipment(offset: Long, key: String, time: Long, value: Long) =
      all.process("shipments", Event("shipment", key, time, value, offset))
    order(1, "1", 550, 0)
    shipment(1000, "3", 610, 0)
    shipment(1001, "1", 610, 2)
    order(2, "3", 600, 5)
    shipment(1002, "1", 670, 3)
    shipment(1003, "9", 680, 1)
    order(3, "9", 570, 9)
    order(3, "9", 570, 9) // a replay
    all.refresh(1000, Some(5000))
    assert(found.result() == Seq("1" -> 2L, "3" -> 500L, "1" -> 3L, "9" -> 901L))
    all.close()
  }

  test("R30: as soon as there is room downstream, waiting rows upstream continue") {
    Seq[CompositeOperator[Event] => Unit](_.refresh(1000), _.drain()).foreach { next =>
      var room  = false
      val all   = new CompositeOperator[Event]("two in a row")
      val found = Seq.newBuilder[Long]
      all.addOperator(Seq("orders"), "order")(windowed("orders"))
      all.addOperator(Seq("order"), "found")(give =>
        new FullStateWindowOperator(
          windows,
          Event,
          Context[Event, Pane[String, Seq[Event]]](send = Some { pane =>
            if (room) pane.value.foreach(give)
            room
          }),
          "order"))
      all.onOutput("found")(found += _.offset)
      all.init()
      all.process("orders", Event("order", "a", 10, 0, 1))
      intercept[BackpressureError](all.process("orders", Event("order", "a", 20, 0, 2)))
      room = true
      next(all)
      all.process("orders", Event("order", "a", 30, 0, 3))
      assert(found.result() == Seq(1L, 2L, 3L))
    }
  }

  test("R40: a row on which a part fails is sent again, and counts once in the other parts") {
    var isBroken                                      = true
    val all                                           = new CompositeOperator[Event]("one for two")
    val found                                         = Seq.newBuilder[(String, Long)]
    def windowedAs(name: String)(next: Event => Unit) = windowed("order")(event => next(event.copy(key = name)))
    all.addOperator(Seq("orders"), "order")(next =>
      new FullStateWindowOperator(
        windows,
        Event,
        Context[Event, Pane[String, Seq[Event]]](send = Some { pane => pane.value.foreach(next); true }),
        "orders"))
    all.addOperator(Seq("order"), "sound")(windowedAs("sound"))
    all.addOperator(Seq("order"), "failing")(next => {
      val hooks = Hooks[Event, Pane[String, Seq[Event]]](
        event => if (isBroken && event.offset == 2) throw new IllegalStateException("broken") else Some(event),
        Some(_))
      val send =
        (pane: Pane[String, Seq[Event]]) => { pane.value.foreach(one => next(one.copy(key = "failing"))); true }
      new FullStateWindowOperator(windows, Event, Context(hooks = hooks, send = Some(send)), "order")
    })
    Seq("sound", "failing").foreach(name => all.onOutput(name)(event => found += event.key -> event.offset))
    all.init()
    all.process("orders", Event("order", "a", 10, 0, 1))
    intercept[IllegalStateException](all.process("orders", Event("order", "a", 20, 0, 2)))
    isBroken = false
    all.process("orders", Event("order", "a", 30, 0, 3))
    val each = found.result().groupMap(_._1)(_._2)
    assert(each == Map("sound" -> Seq(1L, 2L, 3L), "failing" -> Seq(1L, 2L, 3L)))
  }

  test("all wrong names are reported together (R42)") {
    val all = composite()
    all.addOperator(Seq("loop"), "loop")(windowed("loop"))
    all.addOperator(Seq("orders"), "order")(windowed("orders"))
    all.onOutput("nobody")(_ => ())
    val error = intercept[SpecError](all.init())
    assert(error.problems.map(_.code).toSet ==
      Set("STREAM_TWICE", "STREAM_UNUSED", "STREAM_UNKNOWN", "STREAMS_IN_A_CIRCLE"))
  }

  test("E7: an unbounded join is rejected with a remedy (R34)") {
    val draft = JoinDraft(Seq(JoinStream("o"), JoinStream("s")), hasKeys = true, lateness = Some(TimeSpan(0)))
    val error = intercept[UnboundedJoinError](draft.checked)
    assert(error.getMessage.startsWith("[UNBOUNDED_JOIN] The rows of 'o' and 's' would be kept forever."))
    assert(draft.copy(retention = Retention(messages = Some(5)), within = Within.Everything).check.isRight)
    val half = draft.copy(streams = Seq(JoinStream("o", Some(Tumbling(TimeSpan(5)))), JoinStream("s")))
    assert(half.check.left.exists(_.map(_.code) == Seq("UNBOUNDED_JOIN")))
    val both = draft.copy(streams = draft.streams.map(_.copy(window = Some(Tumbling(TimeSpan(5))))))
    assert(both.check.isRight)
  }
}
