package windrow.core.dedup

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.util.Random
import windrow.core.Full
import windrow.core.state.{ByteWriter, CountingStore, Key}
import windrow.core.store.Incoming
import windrow.core.time.Watermark
import windrow.{DedupDraft, DedupSpec, Reason, TimeSpan}

/** Compares a deduplication that replaces Spark's with a plain map (SEMANTICS R97), and counts its work. */
final class KeptKeysSuite extends AnyFunSuite {
  private val second = 1000000L

  private def spec(within: Long): DedupSpec =
    DedupDraft(Some(TimeSpan(within)), lateness = Some(TimeSpan.Zero)).check.toOption.get

  private def key(number: Int): Key = {
    val out = new ByteWriter
    out.long(number.toLong)
    new Key(out.result())
  }

  /** Runs one step in a shard that is opened for it; returns the kept and the late rows. */
  private def step(store: CountingStore, within: Long, rows: Seq[(Int, Option[Long])], watermark: Long) = {
    val shard = new DedupShard(spec(within), store, replaced = Some(ReplacedDedup(0L, untilWatermark = true)))
    val messages = rows.zipWithIndex.map { case ((number, time), i) =>
      Incoming(key(number), time, None, Array(i.toByte))
    }
    val effects = shard.step(messages.iterator, Watermark(watermark), Some(0L)).toVector
    (
      effects.collect { case DedupEffect.Keep(one) => one.payload.head.toInt },
      effects.collect { case DedupEffect.Drop(one, Reason.TooLate, _) => one.payload.head.toInt })
  }

  test("R97: random rows, some without a time, are kept as in a map of keys") {
    val cases = if (Full.isFull) 2000 else 60
    for (seed <- 0 until cases) {
      val random = new Random(seed.toLong)
      val within = Seq(0L, 1L, second, 10 * second)(random.nextInt(4))
      val store  = new CountingStore
      val until  = mutable.Map.empty[Int, Long]
      var now    = 0L // of the other engine, one less than Windrow's watermark
      for (number <- 0 until 30) {
        val rows = Seq.fill(random.nextInt(30))(
          random.nextInt(1 + random.nextInt(40)) ->
            Option.when(random.nextInt(10) > 0)(now + random.nextInt(20) * second - 5 * second))
        val late = rows.map { case (_, time) =>
          number > 0 && time.exists(_ <= now)
        } // there is no watermark before the first step
        val kept = rows.indices.filter { i =>
          val isKept = !late(i) && !until.contains(rows(i)._1)
          if (isKept) until(rows(i)._1) = rows(i)._2.getOrElse(0L) + within
          isKept
        }
        if (random.nextInt(3) > 0) now += random.nextInt(8) * second
        until.filterInPlace((_, last) => now < last)
        val found = step(store, within, rows, now + 1)
        assert(found == ((kept.toVector, rows.indices.filter(late).toVector)), s"seed $seed, step $number")
      }
    }
  }

  test("R97: keys leave the state, and a row reads one page") {
    val store = new CountingStore
    for (batch <- 0 until 40)
      step(store, 10 * second, (0 until 100).map(n => (batch * 100 + n) -> Some(batch * second + 1)), batch * second)
    assert(store.values("kept") > 0)
    store.reads = 0
    step(store, 10 * second, Seq(-1 -> Some(40 * second)), 39 * second)
    assert(store.reads <= 3)
    step(store, 10 * second, Nil, 100 * second)
    assert(store.values("kept") == 0)
  }
}
