package windrow.core.fullstate

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.Origin
import windrow.core.state.{CountingStore, Growth, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Measures the cost of a message of full state in a step of any size (SEMANTICS S11). */
class FullStateWorkSuite extends AnyFunSuite {
  private val key = new Key(Array(1))

  private def spec(window: WindowKind, early: PaneTrigger = Never): FullStateSpec = FullStateDraft(
    window,
    lateness = Some(TimeSpan(100)),
    early = early,
    retention = Retention(time = Some(TimeSpan(2000000)))).checked

  /** Messages 10 apart. */
  private def message(n: Int): Incoming = Incoming(key, Some(n * 10L), Some(Origin("s", 0, n.toLong)), Array(1, 2, 3))

  private def run(spec: FullStateSpec, store: CountingStore, messages: Iterator[Int], watermark: Long): Int =
    new FullStateShard(spec, store).step(messages.map(message), Watermark(watermark), None).size

  private val kinds = Seq(
    "sessions of one message" -> Session(TimeSpan(9)),
    "one session of all"      -> Session(TimeSpan(10)),
    "tumbling"                -> Tumbling(TimeSpan(40)),
    "one window of all"       -> Tumbling(TimeSpan(1000000)),
    "hopping"                 -> Hopping(TimeSpan(40), TimeSpan(20)),
    "sliding"                 -> Sliding(TimeSpan(40), TimeSpan(1)),
    "one sliding of all"      -> Sliding(TimeSpan(1000000), TimeSpan(1)),
    "over a range"            -> Over.Range(TimeSpan(40)),
    "over a range of all"     -> Over.Range(TimeSpan(1000000)),
    "over rows"               -> Over.Rows(4),
    "over all"                -> Over.Everything,
    "count"                   -> Count(10),
    "offsets"                 -> OffsetRange(10),
    "sessions of positions"   -> OffsetSession(3))

  for ((name, window) <- kinds) test(s"$name: a step of any size") {
    Growth.check(few = 100, logarithm = 3) { (count, store) =>
      run(spec(window), store, Iterator.range(0, count), -1000)
      run(spec(window), store, Iterator.empty, Long.MaxValue - 1)
    }
  }

  private def inSteps(count: Int, store: CountingStore): Seq[FullStateEffect] = {
    val window = spec(Tumbling(TimeSpan(1000000)))
    val before = Iterator.range(0, count).grouped(10).flatMap { some =>
      new FullStateShard(window, store).step(some.iterator.map(message), Watermark(-1000), None)
    }.toVector
    assert(before.isEmpty)
    new FullStateShard(window, store).step(Iterator.empty, Watermark(1000000), None).toVector
  }

  test("rows that wait for a pane add no cost to a step (SEMANTICS S10)") {
    Growth.check(few = 400, logarithm = 3)((count, store) => inSteps(count, store))
  }

  test("a pane has all that waited, however it was kept") {
    val store = new CountingStore
    inSteps(5000, store) match {
      case Seq(FullStateEffect.Fire(pane)) => assert(pane.value.flatMap(_.origin.map(_.offset)) == (0L until 5000L))
      case other                           => fail(other.toString)
    }
    new FullStateShard(spec(Tumbling(TimeSpan(1000000))), store)
      .step(Iterator.empty, Watermark(9000000), None).foreach(other => fail(other.toString))
    assert(store.values("messages") == 0)
  }

  test("R14: a period that a restart makes longer ends all the same") {
    val store = new CountingStore
    def step(period: Long, messages: Iterator[Incoming], now: Long) =
      new FullStateShard(spec(Tumbling(TimeSpan(1000)), Every(TimeSpan(period))), store)
        .step(messages, Watermark(-1), Some(now)).size
    assert(step(10, Iterator(message(1)), now = 1) == 0)
    assert(step(30, Iterator.empty, now = 10) == 0)
    assert(step(30, Iterator.empty, now = 29) == 0 && step(30, Iterator.empty, now = 30) == 1)
  }

  test("R43: messages that are alike all come out with their window") {
    for (window <- Seq(Over.Range(TimeSpan(40)), Over.Rows(4), Over.Everything)) {
      val alike = Iterator.fill(3)(Incoming(key, Some(10L), None, Array(1)))
      val came  = new FullStateShard(spec(window), new CountingStore).step(alike, Watermark(1000), None)
      assert(came.collect { case FullStateEffect.Fire(pane) => pane.value.size }.sum == 3, window)
    }
  }

  test("panes are made as they are taken (SEMANTICS S11)") {
    var taken = 0
    val messages = Iterator.tabulate(3) { n =>
      taken += 1
      message(n)
    }
    val store  = new CountingStore
    val deltas = new FullStateShard(spec(Tumbling(TimeSpan(5)), Every(1)), store).step(messages, Watermark(-1000), None)
    assert(taken == 0)
    deltas.next()
    assert(taken == 1)
    assert(deltas.size == 2 && taken == 3 && store.header != null)
  }
}
