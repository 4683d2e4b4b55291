package windrow.core.operator
package aligned

import java.util.{HashMap => JHashMap}
import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Gathered
import windrow.core.aggregate.RangeSweep
import windrow.core.state.Key
import windrow.core.time.Axis
import windrow.core.window.SliceGrid

/** What a step brings, by key and slice, so that each window hears of it once and not with every message.
  *
  * @param adds
  *   windows are told what came, not only how many messages
  */
private[core] final class StepArrivals[B](grid: SliceGrid[Axis.Time], aggregation: Aggregation[B, _], adds: Boolean) {
  import StepArrivals._

  private val keys = new JHashMap[Key, JTreeMap[Long, Arrived[B]]]

  def add(key: Key, slice: Long, count: Long, buffer: B): Unit = {
    val arrived =
      keys.computeIfAbsent(key, _ => new JTreeMap).computeIfAbsent(slice, _ => new Arrived[B])
    arrived.count += count
    if (adds) arrived.buffer = Some(arrived.buffer.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer)))
  }

  /** Tells all windows that do not begin before `first` and forgets.
    *
    * @param hear
    *   a key's windows, ascending, each with its number of messages and, if that was asked for, their aggregate
    */
  def tell(first: Long)(hear: (Key, Long, Long, => B) => Unit): Unit = {
    keys.forEach { (key, slices) =>
      val (positions, arrived) = slices.asScala.toVector.unzip
      val windows = grid.windowsOver(first)(from => Option(slices.ceilingKey(from)).map(_.longValue)).toVector
      val ranges  = rangesOf(positions, windows)
      val until   = arrived.scanLeft(0L)(_ + _.count)
      val buffers = new RangeSweep(new Gathered(arrived.flatMap(_.buffer), aggregation), aggregation).apply(ranges)
      windows.zip(ranges).foreach { case (start, (low, high)) =>
        hear(key, start, until(high) - until(low), buffers.next())
      }
    }
    keys.clear()
  }

  /** The slices of each window, by index. */
  private def rangesOf(positions: Vector[Long], windows: Vector[Long]): Vector[(Int, Int)] = {
    var (low, high) = (0, 0)
    windows.map { start =>
      while (positions(low) < start) low += 1
      while (high < positions.size && positions(high) < grid.end(start)) high += 1
      (low, high)
    }
  }
}

private object StepArrivals {
  private final class Arrived[B] {
    var count  = 0L
    var buffer = Option.empty[B]
  }
}
