package windrow.operators

import java.util.concurrent.CountDownLatch
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import windrow._
import windrow.core.policy.EventKind
import windrow.core.state.{InMemoryShardStore, ShardStore}

/** Tests policy windows as an operator: panes and events, listeners, partitions, the life cycle (SEMANTICS R58-R63). */
class PolicyWindowOperatorSuite extends AnyFunSuite {
  private type Out      = PolicyOutput[String, Event, Long]
  private type Operator = PolicyWindowOperator[String, Event, Long, Long]

  private def spec(eviction: Eviction, limits: KeyLimits = KeyLimits.NotStated): PolicyWindowSpec =
    PolicyWindowSpec.check(eviction, limits).toOption.get

  private val three  = spec(Eviction.Tumbling(ByCount(3)))
  private val thirty = spec(Eviction.Tumbling(ByTime(TimeSpan(30))))

  private def operator(
      spec: PolicyWindowSpec,
      store: ShardStore = new InMemoryShardStore,
      hooks: Hooks[Event, Out] = Hooks.none,
      send: Option[Out => Boolean] = None,
      isKeyed: Boolean = true): Operator = new PolicyWindowOperator(
    spec,
    Event,
    Sum,
    (event: Event) => event.value,
    Context("policy", store, hooks, send),
    measure = (event, column) => if (column == "value") event.value.toDouble else -event.value.toDouble,
    isMarker = event => event.value < 0,
    isKeyed = isKeyed)

  private def opened(spec: PolicyWindowSpec, store: ShardStore = new InMemoryShardStore): Operator = {
    val made = operator(spec, store)
    made.init()
    made
  }

  private var offset = 0L
  private def event(key: String, value: Long): Event = {
    offset += 1
    Event("messages", key, 0, value, offset)
  }

  private def add(to: Operator, messages: (String, Long)*): Unit =
    to.addMessages("messages", messages.map { case (key, value) => event(key, value) })

  private def text(event: PartitionEvent[String, Event]): String =
    s"${event.key} ${event.kind} ${event.messages.map(_.value).mkString(",")}".trim

  private def text(outputs: Seq[Out]): Seq[String] = outputs.map {
    case PolicyOutput.Fired(pane)     => s"${pane.key}#${pane.start}=${pane.value}"
    case PolicyOutput.Happened(event) => text(event)
  }

  private def taken(from: Operator): Seq[String] = {
    val out = text(from.getResult())
    from.flush()
    out
  }

  /** A listener that counts the insertions into each partition, and stores the count with the partition. */
  private final class Counting extends StatefulListener[String, Event] {
    val counts                                      = mutable.TreeMap.empty[String, Int]
    val heard                                       = mutable.ArrayBuffer.empty[String]
    var inDrain: () => Unit                         = () => ()
    override def onDrain(): Unit                    = inDrain()
    def save(key: String)                           = Array(counts.getOrElse(key, 0).toByte)
    def load(key: String, bytes: Array[Byte]): Unit = counts(key) = bytes.head.toInt
    def onEvent(event: PartitionEvent[String, Event]): Unit = {
      heard += text(event)
      if (event.kind == EventKind.Insertion) counts(event.key) = counts.getOrElse(event.key, 0) + event.messages.size
    }
  }

  test("E18: panes and events, each partition by itself; the window is its number, events are counted (R58)") {
    val customers = opened(three)
    add(customers, "A345" -> 1, "B823" -> 10, "B823" -> 20)
    assert(taken(customers) == Seq("A345 INSERTION 1", "B823 INSERTION 10", "B823 INSERTION 20"))
    add(customers, "B823" -> 30, "B823" -> 40)
    val all = customers.getResult()
    assert(taken(customers) == Seq(
      "B823 INSERTION 30",
      "B823 EVICTION 10,20,30",
      "B823#0=60",
      "B823 INSERTION 40"))
    val numbers = all.collect { case PolicyOutput.Happened(event) => (event.window, event.sequence) }
    assert(numbers == Seq((0L, 2L), (0L, 3L), (1L, 4L)))
    assert(customers.partitions().sorted == Seq("A345", "B823"))
  }

  test("R59: a listener receives every event in order, and events need not be in the output") {
    val quiet = new PolicyWindowOperator[String, Event, Long, Long](
      three,
      Event,
      Sum,
      _.value,
      Context("policy"),
      hasEvents = false)
    val listener = new Counting
    quiet.addListener(listener)
    quiet.init()
    add(quiet, "a" -> 1, "a" -> 2, "a" -> 3)
    assert(text(quiet.getResult()) == Seq("a#0=6"))
    assert(listener.heard.toSeq == Seq("a INSERTION 1", "a INSERTION 2", "a INSERTION 3", "a EVICTION 1,2,3"))
  }

  test("R59: an asynchronous listener runs off the calling thread, one event at a time in order") {
    val started           = new CountDownLatch(1)
    val go                = new CountDownLatch(1)
    val caller            = Thread.currentThread
    @volatile var threads = Set.empty[Thread]
    @volatile var heard   = Vector.empty[Long]
    val slow = new WindowListener[String, Event] {
      def onEvent(event: PartitionEvent[String, Event]): Unit = {
        threads += Thread.currentThread
        started.countDown()
        go.await()
        heard :+= event.sequence
      }
    }
    val running = opened(three)
    running.addListener(slow, asynchronous = true)
    (1 to 50).foreach(i => add(running, "a" -> i.toLong)) // the caller does not wait
    started.await()
    assert(heard.isEmpty)
    go.countDown()
    running.drain()
    assert(heard == (0L until 66L) && threads.size == 1 && threads.head != caller)
    running.close()
  }

  test("R59: an exception of a listener is reported, and neither events nor panes are lost") {
    for (asynchronous <- Seq(false, true)) {
      val running = opened(three)
      var heard   = 0
      running.addListener(
        new WindowListener[String, Event] {
          def onEvent(event: PartitionEvent[String, Event]): Unit = {
            heard += 1
            if (event.sequence == 1) throw new IllegalArgumentException("no")
          }
        },
        asynchronous)
      val error = intercept[IllegalArgumentException] {
        add(running, "a" -> 1, "a" -> 2, "a" -> 3)
        running.drain()
      }
      running.drain() // the error is raised once; later events are still delivered
      assert(error.getMessage == "no" && heard == 4 && text(running.getResult()).last == "a#0=6")
      running.close()
    }
  }

  test("I23: a listener evicts partitions in drain only, and only where there is a key (R62)") {
    val running  = opened(three)
    val listener = new Counting
    running.addListener(listener)
    add(running, "a" -> 1, "b" -> 2)
    running.flush()
    val outside = intercept[IllegalStateException](running.evictPartition("a"))
    assert(outside.getMessage.startsWith("[NOT_IN_DRAIN]"))
    listener.inDrain = () => { running.evictPartition("a"); running.evictPartition("nobody") }
    assert(running.drain())
    assert(taken(running) == Seq("a PARTITION_EVICTION 1") && listener.heard.last == "a PARTITION_EVICTION 1")
    assert(running.partitions() == Seq("b"))
    listener.inDrain = () => ()
    add(running, "a" -> 5, "a" -> 6, "a" -> 7) // marks and numbers are removed too
    assert(taken(running).contains("a#0=18"))

    val single = operator(three, isKeyed = false)
    single.init()
    val other = new Counting
    other.inDrain = () => single.evictPartition("")
    single.addListener(other)
    val error = intercept[IllegalStateException](single.drain())
    assert(error.getMessage.startsWith("[NOT_KEYED]"))
  }

  test("R60: a reset in which a listener fails changes no state") {
    val running = opened(three)
    running.addListener(new StatefulListener[String, Event] {
      def save(key: String)                                   = Array(1.toByte)
      def load(key: String, bytes: Array[Byte]): Unit         = throw new IllegalStateException("broken")
      def onEvent(event: PartitionEvent[String, Event]): Unit = ()
    })
    add(running, "a" -> 1)
    running.flush()
    val image = running.checkpoint()
    add(running, "b" -> 2)
    intercept[IllegalStateException](running.reset(image))
    assert(running.partitions().sorted == Seq("a", "b") && running.ledger.accepted == 2)
    assert(text(running.getResult()) == Seq("b INSERTION 2"))
  }

  test("R61: a listener's state lives with its partition: flushed, checkpointed, evicted") {
    val store   = new InMemoryShardStore
    val running = opened(three, store)
    val first   = new Counting
    running.addListener(new WindowListener[String, Event] {
      def onEvent(event: PartitionEvent[String, Event]): Unit = ()
    })
    running.addListener(first)
    add(running, "a" -> 1, "b" -> 2, "a" -> 3)
    running.flush()
    val image = running.checkpoint()
    add(running, "a" -> 4) // not flushed
    running.close()

    val again  = operator(three, store)
    val second = new Counting
    again.addListener(new Counting)
    again.addListener(second)
    again.init()
    assert(second.counts == Map("a" -> 2, "b" -> 1))

    val fresh = opened(three)
    val third = new Counting
    fresh.addListener(new Counting)
    fresh.addListener(third)
    fresh.reset(image)
    assert(third.counts == Map("a" -> 2, "b" -> 1) && third.heard.isEmpty)
    third.inDrain = () => fresh.evictPartition("a")
    fresh.drain()
    fresh.flush()
    val last = new Counting
    fresh.addListener(new Counting)
    fresh.addListener(new Counting)
    val rest = opened(three)
    rest.addListener(new Counting)
    rest.reset(fresh.checkpoint())
    rest.addListener(last) // added after reset: loaded immediately
    assert(last.counts == Map("b" -> 1))
  }

  test("R66: whether a partition is due") {
    val aged = opened(spec(Eviction.Tumbling(ByCount(9)), KeyLimits(idle = Some(TimeSpan(10)))))
    aged.timeout(0)
    add(aged, "a" -> 1)
    assert(!aged.needsPartitionEviction())
    aged.timeout(11)
    assert(text(aged.getResult()).last == "a PARTITION_EVICTION 1" && !aged.needsPartitionEviction())
  }

  test("E20, R63: a tumbling time is overdue once after a restart, and then counts from there") {
    val store   = new InMemoryShardStore
    val running = opened(thirty, store)
    running.timeout(0)
    add(running, "a" -> 5)
    running.timeout(30)
    running.timeout(50)
    running.flush()
    running.close()
    val again = opened(thirty, store)
    add(again, "a" -> 7)
    again.timeout(95) // down for 45
    assert(taken(again) == Seq("a INSERTION 7", "a EVICTION 7", "a#1=7"))
    again.timeout(124)
    assert(taken(again).isEmpty)
    again.timeout(125)
    assert(taken(again) == Seq("a EVICTION", "a#2=0"))
  }

  test("E19, R60: reset restores a checkpoint without an event, and then overdue rows are evicted") {
    val five    = spec(Eviction.Sliding(ByTime(TimeSpan(5)), ByCount(100)))
    val running = opened(five)
    running.timeout(1)
    add(running, (1L to 20L).map("a" -> _): _*)
    running.flush()
    val image = running.checkpoint()
    running.timeout(2)
    add(running, "b" -> 1)
    running.timeout(10)
    running.flush()
    running.reset(image)
    assert(running.partitions() == Seq("a"))
    assert(taken(running) == Seq(s"a EVICTION ${(1 to 20).mkString(",")}")) // the clock was not set back
    running.reset()
    assert(running.partitions().isEmpty && running.getResult().isEmpty)
  }

  test("R14: periods before any processing time count from the first that is seen") {
    val running = opened(thirty)
    add(running, "a" -> 1)
    running.timeout(1000)
    assert(taken(running) == Seq("a INSERTION 1"))
    running.timeout(1029)
    assert(taken(running).isEmpty)
    running.timeout(1030)
    assert(taken(running) == Seq("a EVICTION 1", "a#0=1"))
  }

  test("delta policies on two columns, punctuation, FINAL") {
    val deltas = opened(spec(Eviction.Sliding(ByDelta("value", 4), ByDelta("negative", 3))))
    add(deltas, "a" -> 9, "a" -> 7, "a" -> 5)
    assert(taken(deltas).last == "a INSERTION 5")
    assert(deltas.getResult().isEmpty)
    add(deltas, "a" -> 10) // evicts below 6, and the trigger compares with -10
    assert(taken(deltas) == Seq("a INITIAL_FULL 9,7,5", "a EVICTION 5", "a INSERTION 10").filterNot(_.contains("FULL")))

    val marked = opened(spec(Eviction.ByPunctuation("value")))
    add(marked, "a" -> 1, "a" -> 2, "a" -> -1, "a" -> 3)
    assert(taken(marked).contains("a EVICTION 1,2,-1"))
    marked.finish()
    assert(taken(marked) == Seq("a FINAL 3"))
  }

  test("the ledger: duplicates and rows that hooks withhold (R13, R74)") {
    val running = operator(three, hooks = Hooks(one => Option.when(one.value != 7)(one), Some(_)))
    running.init()
    val messages = Seq(event("a", 1), event("a", 7), event("a", 2))
    running.addMessages("messages", messages)
    running.addMessages("messages", messages)
    assert(running.ledger == Ledger(
      2,
      Map.empty,
      duplicates = 3,
      gaps = 0,
      filtered = 1,
      retired = 0,
      overRetention = 0))
    assert(running.ledger.read == 6)
  }

  test("R27: a replay from the restart offsets rebuilds the contents") {
    offset = 0
    val running = opened(three)
    add(running, (1L to 5L).map("a" -> _) ++ (6L to 7L).map("b" -> _): _*)
    assert(running.restartOffsets() == Map(SourcePartition("messages", 0) -> 4L))
    add(running, "a" -> 8, "b" -> 9)
    assert(running.restartOffsets() == Map(SourcePartition("messages", 0) -> 10L))
  }

  test("every call persists the sent rows, so a restart continues") {
    val store = new InMemoryShardStore
    val sent  = mutable.ArrayBuffer.empty[Out]
    def open() = {
      val made = operator(three, store, send = Some(out => { sent += out; true }))
      made.init()
      made
    }
    val running = open()
    add(running, "a" -> 1, "a" -> 2)
    val again   = open()
    add(again, "a"   -> 3)
    assert(text(sent.toSeq).last == "a#0=6")
  }
}
