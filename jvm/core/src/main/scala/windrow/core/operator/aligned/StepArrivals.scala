package windrow.core.operator
package aligned

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.aggregate.Combiner
import windrow.core.grid.SliceGrid
import windrow.core.state.{Key, KeyMap}
import windrow.core.time.Axis

/** Collects the messages of a step by slice and key, so that each window is updated once instead of for every message.
  *
  * @param adds
  *   whether to collect buffers, not only numbers of messages
  */
private[core] final class StepArrivals[B](grid: SliceGrid[Axis.Time], aggregation: Combiner[B], adds: Boolean) {
  private val slices = new JTreeMap[Long, KeyMap[KeyArrivals[B]]]

  private val combine = new Combiner[KeyArrivals[B]] {
    def copy(some: KeyArrivals[B]): KeyArrivals[B] = some.copy(buffer = some.buffer.map(aggregation.copy))

    def combine(left: KeyArrivals[B], right: KeyArrivals[B]): KeyArrivals[B] =
      KeyArrivals(left.count + right.count, left.buffer.zip(right.buffer).map((aggregation.combine _).tupled))
  }

  /** @param buffer
    *   not changed; still belongs to the caller
    */
  def add(key: Key, slice: Long, count: Long, buffer: B): Unit = {
    val keyed   = slices.computeIfAbsent(slice, _ => new KeyMap)
    val index   = keyed.indexOf(key)
    val arrived = KeyArrivals(count, Option.when(adds)(buffer))
    if (index < 0) keyed.add(key, combine.copy(arrived))
    else keyed.set(index, combine.combine(keyed.valueAt(index), arrived))
  }

  /** Passes on all windows that start at or after `first`, in ascending order, and clears the collection.
    *
    * @param receive
    *   receives a window and the messages of its keys; must not change the buffers
    */
  def takeFrom(first: Long)(receive: (Long, Iterator[(Key, KeyArrivals[B])]) => Unit): Unit = {
    val sweep = new WindowSweep(grid, combine)((from, until) =>
      slices.subMap(from, until).asScala.iterator.map { case (position, keyed) => (position, keyed) })
    grid.windowsOver(first)(from => Option(slices.ceilingKey(from)).map(_.longValue))
      .foreach(start => receive(start, sweep.to(start).window))
    slices.clear()
  }
}

/** Messages that arrived for a key.
  *
  * @param buffer
  *   buffer of these messages, if buffers are collected
  */
private[core] final case class KeyArrivals[B](count: Long, buffer: Option[B])
