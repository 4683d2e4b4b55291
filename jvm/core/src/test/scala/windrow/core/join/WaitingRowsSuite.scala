package windrow.core.join

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state.{CountingStore, Growth, InMemoryShardStore, Key, ShardStore}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Tests rows of a join that wait for the end of a period (SEMANTICS R14, S10). */
class WaitingRowsSuite extends AnyFunSuite {
  import WaitingRowsSuite._

  /** Returns the payloads of the rows of a step. Each step uses a new shard, as after a restart. */
  private def step(
      spec: JoinSpec,
      store: ShardStore,
      messages: Iterator[(Int, Incoming)],
      now: Long,
      watermark: Long = -1000): Seq[Pair] =
    new JoinShard(spec, store, _ => false).step(messages, Watermark(watermark), Some(now)).map {
      case JoinEffect.Row(row) => pair(row)
      case other               => fail(other.toString)
    }.toVector

  /** Runs steps with ten pairs of a key in each. */
  private def inSteps(count: Int, store: ShardStore): Unit = Iterator.range(0, count).grouped(10).foreach { some =>
    assert(step(waiting(Hour), store, some.iterator.flatMap(n => pairOf(n, key = 0)), now = 1).isEmpty)
  }

  test("waiting rows add no cost to a step (SEMANTICS S10)") {
    Growth.check(few = 400, logarithm = 3)(inSteps)
  }

  test("all rows that waited come, however they were kept") {
    val store = new CountingStore
    inSteps(5000, store)
    assert(step(waiting(Hour), store, Iterator.empty, Hour - 1).isEmpty)
    assert(step(waiting(Hour), store, Iterator.empty, Hour) == (0 until 5000).map(n => (n, n)))
    assert(step(waiting(Hour), store, Iterator.empty, Hour, 1000000).isEmpty)
    assert(Seq("messages", "sides", "waiting", "periods").map(store.values).forall(_ == 0))
  }

  test("those of other keys are not read") {
    val store = new CountingStore
    (0 until 5000).grouped(500).foreach(some =>
      step(waiting(Hour), store, some.iterator.flatMap(n => pairOf(n, key = n)), now = 1))
    store.bytesRead = 0
    assert(step(waiting(Hour), store, pairOf(0, key = 17), now = 1).isEmpty)
    assert(store.bytesRead < 100000, "of some 500,000")
  }

  test("another period after a restart is for keys that begin one then") {
    val store = new InMemoryShardStore
    assert(step(waiting(1000), store, pairOf(0, key = 0), now = 1).isEmpty)
    assert(step(waiting(Hour), store, pairOf(1, key = 0) ++ pairOf(2, key = 1), now = 500).isEmpty)
    assert(step(waiting(Hour), store, Iterator.empty, now = 1000) == Seq((0, 0), (1, 1)))
    assert(step(waiting(Hour), store, Iterator.empty, now = Hour) == Seq((2, 2)))
  }

  test("at the first processing time a period begins, and the end of the input ends it") {
    def shard(store: ShardStore) = new JoinShard(waiting(1000), store, _ => false)
    val store                    = new InMemoryShardStore
    assert(shard(store).step(pairOf(0, key = 0), Watermark(-1000), None).isEmpty)
    assert(shard(store).pending.isEmpty)
    assert(shard(store.snapshot).step(Iterator.empty, Watermark.End, None).size == 1)
    assert(step(waiting(1000), store, Iterator.empty, now = 1).isEmpty)
    assert(shard(store).pending.map(_.processingTime).toSeq == Seq(Some(1000L)))
    assert(step(waiting(1000), store, Iterator.empty, now = 1000) == Seq((0, 0)))
  }
}

private object WaitingRowsSuite {

  /** The payloads of the two messages of a row. */
  type Pair = (Int, Int)

  val Hour = 3600000000L

  def waiting(period: Long): JoinSpec = JoinDraft(
    Seq(JoinStream("a"), JoinStream("b")),
    hasKeys = true,
    Within.Ranges(Map("b" -> JoinRange(TimeSpan(-20), TimeSpan(20)))),
    JoinKind.Inner,
    Some(TimeSpan(100)),
    early = EveryPeriod(TimeSpan(period))).checked

  private def bytes(of: Int): Array[Byte] = BigInt(of).toByteArray

  /** Two messages that pair only with each other. */
  def pairOf(n: Int, key: Int): Iterator[(Int, Incoming)] =
    Iterator(0, 1).map(stream => (stream, Incoming(new Key(bytes(key)), Some(n * 100L), None, bytes(n))))

  def pair(row: JoinRow): Pair = row.messages.flatten.map(one => BigInt(one.payload).toInt) match {
    case Seq(a, b) => (a, b)
    case other     => throw new AssertionError(other)
  }
}
