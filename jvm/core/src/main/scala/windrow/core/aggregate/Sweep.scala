package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque}
import java.util.{HashMap => JHashMap}
import scala.jdk.CollectionConverters._
import windrow.core.state.Key

/** Values of windows that move only forward over slices: a slice enters on the right, old ones leave on the left.
  *
  * The slices are those of Krishnamurthy, Wu and Franklin, On-the-Fly Sharing for Streamed Aggregation (SIGMOD 2006), kept
  * for late messages as in Traub and others, Efficient Window Aggregation with General Stream Slicing (EDBT 2019); two
  * stacks as in Tangwongsan, Hirzel and Schneider, Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time
  * (DEBS 2017).
  */
trait Sweep[B] {
  type Keyed = JHashMap[Key, B]

  /** Takes the slice at `position` in; positions only grow. The map is not changed. */
  def enter(position: Long, slice: Keyed): Unit

  /** Lets go of the slices below a position. */
  def leaveBelow(position: Long): Unit

  /** The keys and buffers of all slices inside, oldest first within a buffer. A buffer is not to be changed. */
  def window: Iterator[(Key, B)]
}

object Sweep {

  /** Two stacks pay from eight slices in a window on; below, combining afresh is cheaper (docs/benchmarks.md). */
  def apply[B](slicesPerWindow: Long, aggregation: Aggregation[B, _]): Sweep[B] =
    if (slicesPerWindow < 8) new Recalculate(aggregation) else new TwoStacks(aggregation)

  /** Adds `slice` to the right of `sum`, whose buffers are its own. */
  private[aggregate] def addAll[B](
      sum: JHashMap[Key, B],
      slice: JHashMap[Key, B],
      aggregation: Aggregation[B, _]): Unit =
    slice.forEach { (key, buffer) =>
      val before = sum.get(key)
      sum.put(key, if (before == null) aggregation.copy(buffer) else aggregation.combine(before, buffer))
      ()
    }
}

/** Combines every window afresh: Θ(slices) for each. */
final class Recalculate[B](aggregation: Aggregation[B, _]) extends Sweep[B] {
  private val inside = new JArrayDeque[(Long, Keyed)]

  def enter(position: Long, slice: Keyed): Unit = inside.addLast((position, slice))

  def leaveBelow(position: Long): Unit =
    while (!inside.isEmpty && inside.peekFirst._1 < position) inside.removeFirst()

  def window: Iterator[(Key, B)] =
    if (inside.size == 1) inside.peekFirst._2.entrySet.iterator.asScala.map(e => (e.getKey, e.getValue))
    else {
      val sum = new Keyed
      inside.forEach(slice => Sweep.addAll(sum, slice._2, aggregation))
      sum.entrySet.iterator.asScala.map(e => (e.getKey, e.getValue))
    }
}

/** Two stacks: a queue of slices whose aggregate costs O(1) amortised for each step, without an inverse.
  *
  * `front` holds, newest last, for each older slice the aggregate from it to the end of the front; `back` the newer
  * slices and their aggregate so far.
  */
final class TwoStacks[B](aggregation: Aggregation[B, _]) extends Sweep[B] {
  private val front   = new JArrayDeque[(Long, Keyed)]
  private val back    = new JArrayDeque[(Long, Keyed)]
  private var backSum = new Keyed

  def enter(position: Long, slice: Keyed): Unit = {
    back.addLast((position, slice))
    Sweep.addAll(backSum, slice, aggregation)
  }

  def leaveBelow(position: Long): Unit = {
    while (!front.isEmpty && front.peekFirst._1 < position) front.removeFirst()
    if (front.isEmpty && !back.isEmpty && back.peekFirst._1 < position) {
      while (!back.isEmpty && back.peekFirst._1 < position) back.removeFirst()
      flip()
    }
  }

  /** Turns the back into suffix aggregates. A key that a slice lacks shares the buffer of the slice after it. */
  private def flip(): Unit = {
    var suffix = new Keyed
    while (!back.isEmpty) {
      val (position, slice) = back.removeLast()
      val sum               = new Keyed(suffix)
      slice.forEach { (key, buffer) =>
        val after = suffix.get(key)
        sum.put(key, if (after == null) buffer else aggregation.combine(aggregation.copy(buffer), after))
        ()
      }
      front.addFirst((position, sum))
      suffix = sum
    }
    backSum = new Keyed
  }

  def window: Iterator[(Key, B)] =
    if (front.isEmpty) backSum.entrySet.iterator.asScala.map(e => (e.getKey, e.getValue))
    else {
      val older = front.peekFirst._2
      older.entrySet.iterator.asScala.map { e =>
        val newer = backSum.get(e.getKey)
        (e.getKey, if (newer == null) e.getValue else aggregation.combine(aggregation.copy(e.getValue), newer))
      } ++ backSum.entrySet.iterator.asScala.filterNot(e => older.containsKey(e.getKey)).map(e =>
        (e.getKey, e.getValue))
    }
}
