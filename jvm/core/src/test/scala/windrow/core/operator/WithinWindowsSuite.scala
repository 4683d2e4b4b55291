package windrow.core.operator

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow._
import windrow.core.Full
import windrow.core.aggregate.Aggregation
import windrow.core.shard.Shard
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, Key}
import windrow.core.time.Watermark

/** Checks that buffers are combined only as far as a window reaches (SEMANTICS R94). Values are positive, so a sum that
  * no window has exceeds the greatest one of a window. A sum that overflows fails a query, as it does in Spark, but only
  * if a window has that sum.
  */
final class WithinWindowsSuite extends AnyFunSuite {
  import WithinWindowsSuite._

  private val steps = if (Full.isFull) 200 else 12

  for (window <- KeyGrowthSuite.windows; lateness <- Seq(200L, 1000000L))
    test(s"$window, lateness ${TimeSpan(lateness)}: sums that no window has may fail") {
      for (early <- Seq(EachBatch, Never)) {
        val panes    = run(window, lateness, early, Long.MaxValue)
        val greatest = panes.map(_._3).maxOption.getOrElse(Long.MaxValue)
        assert(run(window, lateness, early, greatest) == panes)
        if (greatest > 9 && panes.nonEmpty) assertThrows[TooGreat](run(window, lateness, early, greatest - 1))
      }
    }

  private def run(window: WindowKind, lateness: Long, early: PaneTrigger, most: Long): Vector[(Long, Int, Long)] = {
    val random = new Random(5)
    val store  = new InMemoryShardStore
    val spec = WindowOperatorDraft(
      window,
      lateness = Option.when(window != Global)(TimeSpan(lateness)),
      early = if (window == Global) EachBatch else early,
      accumulation = Some(Accumulating)).checked
    val value = window.rowValue.of(Some(10L)).get
    (0 to steps).toVector.flatMap { step =>
      val entries = (0 until 100).map { i =>
        val n = step * 100 + i
        Entry(
          key,
          Some(n * 10L - random.nextInt(300)),
          value,
          1,
          1L + random.nextInt(9),
          row,
          Some(Origin("s", 0, n)),
          None)
      }
      val watermark = if (step == steps) Long.MaxValue / 2 else step * 1000L - 300
      new Shard(spec, new Limited(most), store)
        .step(if (step == steps) Iterator.empty else entries.iterator, Watermark(watermark), None).toVector
        .collect { case Effect.Fire(pane) => (pane.start, pane.index.toInt, pane.value) }
    }
  }
}

private object WithinWindowsSuite {
  private val key = new Key(Array[Byte](1))
  private val row = Array[Byte](1, 2, 3)

  final class TooGreat extends IllegalStateException

  /** Sums that fail above a bound. */
  final class Limited(most: Long) extends Aggregation[Long, Long] {
    def zero: Long = 0
    def combine(left: Long, right: Long): Long = {
      if (left + right > most) throw new TooGreat
      left + right
    }
    def copy(buffer: Long): Long                  = buffer
    def lower(buffer: Long): Long                 = buffer
    def write(value: Long, out: ByteWriter): Unit = out.long(value)
    def read(in: ByteReader): Long                = in.long()
  }
}
