package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.Full
import windrow.core.aggregate.Aggregation
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Checks that a shard is as empty as a new one once the watermark has passed everything (SEMANTICS R9, R12, S5), and
  * that the size of the watermark's jump neither shows nor costs anything.
  */
class LeavingSuite extends AnyFunSuite {
  import GrowthSuite.{Windows => _, _}
  import LeavingSuite._

  private val keys = if (Full.isFull) 20000 else 100

  private def spec(window: WindowKind, early: PaneTrigger): WindowOperatorSpec = draft(window, CloseOn.Watermark)
    .copy(early = early, accumulation = Some(AccumulatingAndRetracting)).checked

  private def step[B](
      spec: WindowOperatorSpec,
      aggregation: Aggregation[B, Long],
      store: ShardStore,
      entries: Iterator[Entry[B]],
      to: Long): Vector[Effect[B, Long]] =
    new Shard(spec, aggregation, store).step(entries, Watermark(to), None).toVector

  /** The size of a shard's state in bytes, including its header. */
  private def size(store: InMemoryShardStore): Long = store.bytes + store.header.length

  for (window <- Windows; (early, kind) <- Seq[(PaneTrigger, Kind[_])](Never -> Merged, EachBatch -> InOrder))
    test(s"$window with $early: nothing is left of what has left") {
      def left[B](kind: Kind[B]): (Long, Long, Long, Int) = {
        def messages(key: Int) = (0 until 5).map(n => (key, n * 1700L + key, key * 5L + n)).iterator
        def entries(of: Iterator[(Int, Long, Long)]) = of.map { case (key, time, offset) =>
          entry(time, offset, kind.lift(order(time, offset))).copy(key = new Key(BigInt(key).toByteArray))
        }
        val far           = entry(Year, 1L << 40, kind.lift(order(Year, 1L << 40)))
        val (store, none) = (new InMemoryShardStore, new InMemoryShardStore)
        for (some <- (1 to keys).grouped(100)) {
          step(spec(window, early), kind.of(new Counting), store, entries(some.iterator.flatMap(messages)), -1)
          step(spec(window, early), kind.of(new Counting), none, Iterator.empty, -1)
        }
        val full = size(store)
        for ((some, to) <- Seq(Seq(far) -> Year, Nil -> (Year + 1), Nil -> (Year + 2)); one <- Seq(store, none))
          step(spec(window, early), kind.of(new Counting), one, some.iterator, to - 1000)
        (size(none), full, size(store), store.entries.size - none.entries.size)
      }
      val (empty, full, now, values) = left(kind)
      assert(values == 0 && now - empty <= 24, s"$now bytes are left of $full, where $empty are none; $values values")
    }

  test("offsets with holes: stored offsets are added and removed by pages and do not grow") {
    val (store, rounds) = (new InMemoryShardStore, if (Full.isFull) 40 else 4)
    val tumbling        = spec(Tumbling(TimeSpan(5000)), Never)
    def most(round: Int): Long = (round * 150 until round * 150 + 150).map { n =>
      val some = (n * 1000 until n * 1000 + 1000).filter(offset => offset % 7 != 0 && offset % 5 == 3)
      step(tumbling, new Counting, store, some.iterator.map(m => entry(m * 10L, m.toLong, 1L)), n * 10000L - 10000)
      size(store)
    }.max
    val sizes = (0 until rounds).map(most)
    assert(sizes.tail.forall(_ <= sizes.head * 1.05), sizes)
  }

  for (window <- Windows)
    test(s"$window: a jump of a year gives what steps give, and costs no more than one of a minute") {
      def after(jumps: Seq[Long]): (Seq[(Long, Long, Timing, Long)], Int) = {
        val (store, counting) = (new InMemoryShardStore, new Counting)
        val entries           = (0 until 5000).iterator.map(n => entry(n * 4L, n.toLong, 1L))
        val all = step(spec(window, Never), counting, store, entries, -1) ++
          jumps.flatMap(step(spec(window, Never), counting, store, Iterator.empty, _))
        (all.collect { case Effect.Fire(pane) => (pane.start, pane.end, pane.timing, pane.value) }, counting.combined)
      }
      val ((jumped, cost), (walked, _), (_, near)) =
        (after(Seq(Year)), after((0L to 130000L by 500) :+ Year), after(Seq(130000L)))
      assert(jumped == walked && (cost == near), s"$cost for a year, $near for a minute")
    }
}

private object LeavingSuite {
  val Year: Long = 366L * 24 * 3600 * 1000000

  /** The kinds whose windows the watermark or the offsets of the stream complete. */
  val Windows: Seq[WindowKind] = Seq(
    Tumbling(TimeSpan(5000)),
    Hopping(TimeSpan(5000), TimeSpan(500)),
    Session(TimeSpan(1000)),
    Sliding(TimeSpan(5000), TimeSpan(1)),
    Over.Range(TimeSpan(5000)),
    OffsetRange(1000),
    OffsetSession(1000))
}
