package windrow.core.dedup

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{ByteWriter, CountingStore, InMemoryShardStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.{EventTime, Watermark}
import windrow.{DedupDraft, DedupSpec, TimeSpan}

/** Counts the work of a step of a deduplication (SEMANTICS R102). */
final class KeptTimesSuite extends AnyFunSuite {
  private val second = 1000000L
  private val spec: DedupSpec =
    DedupDraft(Some(TimeSpan(60 * second)), lateness = Some(TimeSpan(30 * second))).check.toOption.get

  private def key(number: Long): Key = {
    val out = new ByteWriter
    out.long(number)
    new Key(out.result())
  }

  private def message(number: Long, time: Long) = Incoming(key(number), Some(time), None, Array.emptyByteArray)

  /** Runs one step in a shard that is opened for it. */
  private def step(store: CountingStore, messages: Seq[Incoming], watermark: Watermark = Watermark.None) = {
    store.reads = 0
    store.bytesWritten = 0
    new DedupShard(spec, store).step(messages.iterator, watermark, Some(0L)).toVector
  }

  /** A store with 200 keys in each of some slices. */
  private def filled(slices: Int): CountingStore = {
    val store = new CountingStore
    for (slice <- 0 until slices)
      step(store, (0 until 200).map(n => message(slice * 1000L + n, slice * 61L * second)))
    store
  }

  test("R102: a row reads and writes the same, however many slices are stored") {
    val counts = Seq(3, 60).map { slices =>
      val store = filled(slices)
      step(store, Seq(message(-1, (slices - 1) * 61L * second)))
      (store.reads, store.bytesWritten - store.header.length) // the header has the index of segments
    }
    assert(counts.map(_._1).distinct.size == 1, counts)
    assert(counts.forall { case (reads, written) => reads <= 4 && written < 6000 }, counts)
  }

  test("R102: the watermark removes slices without reading them, and in the end everything") {
    val store  = filled(60)
    val before = store.values("kept")
    step(store, Nil, Watermark(30 * 61L * second))
    assert(store.reads <= 1)
    assert(store.values("kept") < before * 0.6)
    step(store, Nil, Watermark(60 * 61L * second + 200 * second))
    assert(store.values("kept") == 0)
  }

  test("R102: a row is remembered exactly as long as a row in time can be its duplicate") {
    val last = 90 * second // within and lateness
    for ((after, expected) <- Seq(last -> 1, last + 1 -> 0)) {
      val store = new CountingStore
      step(store, Seq(message(1, 0)), Watermark(after))
      val found = step(store, Seq(message(1, 60 * second)))
      val drops = found.collect { case DedupEffect.Drop(_, windrow.Reason.Duplicate, _) => 1 }
      assert(drops.size == expected)
    }
  }

  test("times at the ends of the axis, and spans that are zero or nearly endless") {
    val ends = Seq(-EventTime.Limit + 1, EventTime.Limit - 1)
    for (within <- Seq(0L, 1L, EventTime.Limit - 1); time <- ends) {
      val kept = new KeptTimes(within, new InMemoryShardStore)
      assert(kept.keep(key(1), time, Watermark.None))
      assert(!kept.keep(key(1), time, Watermark.None))
      assert(kept.keep(key(2), time, Watermark.None))
      assert(kept.keep(key(1), -time, Watermark.None))
    }
  }
}
