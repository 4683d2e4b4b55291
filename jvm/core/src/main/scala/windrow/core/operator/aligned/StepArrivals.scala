package windrow.core.operator
package aligned

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.aggregate.Combine
import windrow.core.state.Key
import windrow.core.state.KeyMap
import windrow.core.time.Axis
import windrow.core.window.SliceGrid

/** What a step brings, by slice and key, so that each window hears of it once and not with every message.
  *
  * @param adds
  *   windows are told what came, not only how many messages
  */
private[core] final class StepArrivals[B](grid: SliceGrid[Axis.Time], aggregation: Combine[B], adds: Boolean) {
  private val slices = new JTreeMap[Long, KeyMap[Arrived[B]]]

  private val combine = new Combine[Arrived[B]] {
    def copy(some: Arrived[B]): Arrived[B] = some.copy(buffer = some.buffer.map(aggregation.copy))

    def combine(left: Arrived[B], right: Arrived[B]): Arrived[B] =
      Arrived(left.count + right.count, left.buffer.zip(right.buffer).map((aggregation.combine _).tupled))
  }

  /** @param buffer
    *   stays the caller's
    */
  def add(key: Key, slice: Long, count: Long, buffer: B): Unit = {
    val keyed   = slices.computeIfAbsent(slice, _ => new KeyMap)
    val index   = keyed.indexOf(key)
    val arrived = Arrived(count, Option.when(adds)(buffer))
    if (index < 0) keyed.add(key, combine.copy(arrived))
    else keyed.set(index, combine.combine(keyed.valueAt(index), arrived))
  }

  /** Tells all windows that do not begin before `first`, ascending, and forgets.
    *
    * @param hear
    *   a window, and what came to its keys; buffers are not to be changed
    */
  def tell(first: Long)(hear: (Long, Iterator[(Key, Arrived[B])]) => Unit): Unit = {
    val sweep = new WindowSweep(grid, combine)((from, until) =>
      slices.subMap(from, until).asScala.iterator.map { case (position, keyed) => (position, keyed) })
    grid.windowsOver(first)(from => Option(slices.ceilingKey(from)).map(_.longValue))
      .foreach(start => hear(start, sweep.to(start).window))
    slices.clear()
  }
}

/** @param buffer
  *   of these messages, where that is asked for
  */
private[core] final case class Arrived[B](count: Long, buffer: Option[B])
