package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark

/** Counts the work of a shard: it must be limited to its messages, the windows that fire, and the windows that are due.
  */
class WorkSuite extends AnyFunSuite {

  private final class CountingSum extends Aggregation[Long, Long] {
    var combined                                   = 0
    def zero: Long                                 = 0
    def copy(buffer: Long): Long                   = buffer
    def lower(buffer: Long): Long                  = buffer
    def write(buffer: Long, out: ByteWriter): Unit = out.long(buffer)
    def read(in: ByteReader): Long                 = in.long()
    def combine(left: Long, right: Long): Long = {
      combined += 1
      left + right
    }
  }

  private def entry(key: Int, time: Long, offset: Long): Entry[Long] = Entry(
    new Key(BigInt(key).toByteArray),
    Some(time),
    value = 1000,
    count = 1,
    buffer = 1L,
    raw = BigInt(offset).toByteArray,
    Some(Origin("messages", 0, offset)),
    Some(IncomingPane(0, 5000, Timing.Early, isRetraction = false, new Key(BigInt(offset).toByteArray))))

  private def draft(window: WindowKind): WindowOperatorDraft = WindowOperatorDraft(
    window,
    lateness = Some(TimeSpan(100000)),
    early = AnyOf(Seq(EachBatch, EveryPeriod(TimeSpan(1000000)))),
    late = Every(3),
    accumulation = Some(Accumulating))

  private val byFirstMessage = draft(Hopping(TimeSpan(5000), TimeSpan(500))).copy(closeOn =
    CloseOn.NextRow)

  private val all = Seq(
    Tumbling(TimeSpan(5000)),
    Hopping(TimeSpan(5000), TimeSpan(500)),
    Session(TimeSpan(1000)),
    Sliding(TimeSpan(5000), TimeSpan(1)),
    Over.Range(TimeSpan(5000)),
    Over.Rows(3),
    Over.Everything,
    Count(3000),
    OffsetRange(3000),
    OffsetSession(3000),
    Global,
    Inherit()).map(draft) ++ Seq(
    byFirstMessage,
    draft(Sliding(TimeSpan(5000), TimeSpan(1))).copy(closeOn = CloseOn.NextRow),
    byFirstMessage.copy(fillGaps = TimeSpan.Endless),
    draft(Tumbling(TimeSpan(5000))).copy(fillGaps = TimeSpan.Endless, onTime = false))

  for (draft <- all)
    test(s"${draft.window}${if (draft.fillsGaps) " with gaps" else ""} by ${draft.closeOn}: where nothing is due " +
      "nothing is read") {
      val store = new CountingStore
      def shard = new Shard(draft.checked, new CountingSum, store)
      val value = draft.window.rowValue.of(Some(1000L)).get
      val many  = (0 until 500).map(n => entry(n, time = 1000L + n, offset = n.toLong).copy(value = value))
      assert(shard.step(many.iterator, Watermark(10), Some(0L)).nonEmpty)
      shard.step(Iterator.empty, Watermark(11), Some(1L)).foreach(_ => ())
      val again = shard
      store.reads = 0
      assert(again.step(Iterator.empty, Watermark(12), Some(2L)).isEmpty)
      assert(store.reads == 0)
    }

  private def plain(window: WindowKind, closeOn: CloseOn): WindowOperatorSpec =
    WindowOperatorDraft(window, Some(TimeSpan.Zero), accumulation = Some(Accumulating), closeOn = closeOn).checked

  /** Counts combinations for 600 messages of a key in order, and for the step that completes their windows. */
  private def combined(spec: WindowOperatorSpec, timeOf: Int => Long): (Int, Int, Int) = {
    val sum   = new CountingSum
    val shard = new Shard(spec, sum, new InMemoryShardStore)
    (0 until 600).foreach(n =>
      shard.step(Iterator(entry(1, timeOf(n), n.toLong)), Watermark(-1), None).foreach(_ => ()))
    val taken = sum.combined
    val panes = shard.step(Iterator(entry(1, 100000, 100000)), Watermark(50000), None).size
    (taken, sum.combined - taken, panes)
  }

  for (complete <- CloseOn.All) {
    test(s"complete by $complete: a message costs the same in 2,000 windows as in 20") {
      val (few, _, _)  = combined(plain(Hopping(TimeSpan(20000), TimeSpan(1000)), complete), _ / 100L)
      val (many, _, _) = combined(plain(Hopping(TimeSpan(20000), TimeSpan(10)), complete), _ / 100L)
      assert(many == few)
    }

    test(s"complete by $complete: windows that complete together are answered in one sweep") {
      val shared = Seq(Hopping(TimeSpan(500), TimeSpan(1)), Sliding(TimeSpan(500), TimeSpan(1)))
      val kinds = complete match {
        case CloseOn.Watermark => shared :+ Over.Range(TimeSpan(500))
        case CloseOn.NextRow   => shared // over windows complete one at a time, each by the next message
      }
      for (kind <- kinds) {
        val (_, swept, panes) = combined(plain(kind, complete), _.toLong)
        assert(panes >= 500 && swept <= 6 * panes, s"$kind: $swept for $panes")
      }
    }
  }

  for (window <- Seq(Sliding(TimeSpan(500), TimeSpan(1)), Over.Range(TimeSpan(500))))
    test(s"$window: of windows that complete together some are answered at a time, as their panes are taken") {
      val sum   = new CountingSum
      val store = new InMemoryShardStore
      def shard = new Shard(plain(window, CloseOn.Watermark), sum, store)
      (0 until 20000).grouped(5000).foreach(some =>
        shard.step(some.iterator.map(n => entry(1, n.toLong, n.toLong)), Watermark(-1), None).foreach(_ => ()))
      val taken = sum.combined
      val panes = shard.step(Iterator.empty, Watermark(50000), None)
      panes.next()
      assert(sum.combined - taken < 20000)
      assert(panes.size >= 19999)
    }

  private def early(step: Long, mode: AccumulationMode): WindowOperatorSpec = WindowOperatorDraft(
    Hopping(TimeSpan(500), TimeSpan(step)),
    Some(TimeSpan.Zero),
    EachBatch,
    accumulation = Some(mode)).checked

  for (mode <- AccumulationMode.All)
    test(s"$mode: windows that fire early together hear of their messages once and are answered in one sweep") {
      val sum      = new CountingSum
      val shard    = new Shard(early(step = 1, mode), sum, new InMemoryShardStore)
      val messages = (0 until 1000).iterator.map(n => entry(1, n.toLong, n.toLong))
      val panes    = shard.step(messages, Watermark(-1), None).size
      assert(panes >= 500 && sum.combined <= 6 * panes, s"${sum.combined} for $panes")
    }

  test("windows that fire early: one key among many costs as much as among few") {
    def cost(keys: Int): Int = {
      val sum   = new CountingSum
      val shard = new Shard(early(step = 10, Accumulating), sum, new InMemoryShardStore)
      val many  = (0 until keys * 50).map(n => entry(n % keys, n / keys * 10L, n.toLong))
      shard.step(many.iterator, Watermark(-1), None).foreach(_ => ())
      val before = sum.combined
      assert(shard.step(Iterator(entry(1, 250, 1000000)), Watermark(-1), None).size >= 26)
      sum.combined - before
    }
    assert(cost(200) == cost(10))
  }
}
