package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque}
import java.util.BitSet
import windrow.core.state.Key
import windrow.core.state.KeyMap

/** Values of windows that move only forward over slices: a slice enters on the right, old ones leave on the left.
  *
  * The slices are those of Krishnamurthy, Wu and Franklin, On-the-Fly Sharing for Streamed Aggregation (SIGMOD 2006), kept
  * for late messages as in Traub and others, Efficient Window Aggregation with General Stream Slicing (EDBT 2019); two
  * stacks as in Tangwongsan, Hirzel and Schneider, Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time
  * (DEBS 2017).
  */
trait Sweep[B] {

  /** Takes the slice at `position` in; positions only grow. The map is not changed. */
  def enter(position: Long, slice: KeyMap[B]): Unit

  /** Lets go of the slices below a position. */
  def leaveBelow(position: Long): Unit

  /** The keys and buffers of all slices inside, oldest first within a buffer, until something enters or leaves. A buffer is not
    * to be changed.
    */
  def window: Iterator[(Key, B)]

  /** The buffer of one key over all slices inside, likewise; null: none of them has it. */
  def valueOf(key: Key): B
}

object Sweep {

  /** Two stacks pay from eight slices in a window on; below, combining afresh is cheaper (docs/benchmarks.md). */
  def apply[B](slicesPerWindow: Long, aggregation: Combine[B]): Sweep[B] =
    if (combinesInOrder(slicesPerWindow)) new Recalculate(aggregation) else new TwoStacks(aggregation)

  /** A window is combined slice by slice, from the oldest on, as it is when it is asked for by itself. */
  def combinesInOrder(slicesPerWindow: Long): Boolean = slicesPerWindow < 8

  /** The sum of slices. What only one of them has is not copied. */
  private[aggregate] final class Sum[B](aggregation: Combine[B]) {
    val all         = new KeyMap[B]
    private val own = new BitSet

    /** Adds a slice to the right. */
    def add(slice: KeyMap[B]): Unit = {
      var at = 0
      while (at < slice.size) {
        val key   = slice.keyAt(at)
        val index = all.indexOf(key)
        if (index < 0) all.add(key, slice.valueAt(at))
        else {
          val left = if (own.get(index)) all.valueAt(index) else aggregation.copy(all.valueAt(index))
          own.set(index)
          all.set(index, aggregation.combine(left, slice.valueAt(at)))
        }
        at += 1
      }
    }

    def clear(): Unit = {
      all.clear()
      own.clear()
    }
  }

  /** Keys and buffers in the order of a map. */
  private[aggregate] def entries[B](of: KeyMap[B]): Iterator[(Key, B)] = new Iterator[(Key, B)] {
    private var at       = -1
    def hasNext: Boolean = at + 1 < of.size
    def next(): (Key, B) = {
      at += 1
      (of.keyAt(at), of.valueAt(at))
    }
  }
}

/** Combines every window afresh: Θ(slices) for each. */
final class Recalculate[B](aggregation: Combine[B]) extends Sweep[B] {
  private val inside = new JArrayDeque[(Long, KeyMap[B])]
  private val sum    = new Sweep.Sum(aggregation)

  /** Of what is inside; null: something has entered or left. */
  private var all: KeyMap[B] = _

  def enter(position: Long, slice: KeyMap[B]): Unit = {
    inside.addLast((position, slice))
    all = null
  }

  def leaveBelow(position: Long): Unit =
    while (!inside.isEmpty && inside.peekFirst._1 < position) {
      inside.removeFirst()
      all = null
    }

  def window: Iterator[(Key, B)] = Sweep.entries(summed)
  def valueOf(key: Key): B       = summed.get(key)

  private def summed: KeyMap[B] = {
    if (all == null) all = if (inside.size == 1) inside.peekFirst._2 else sumOfAll
    all
  }

  private def sumOfAll: KeyMap[B] = {
    sum.clear()
    inside.forEach(slice => sum.add(slice._2))
    sum.all
  }
}

/** Two stacks: a queue of slices whose aggregate costs O(1) amortised for each step, without an inverse.
  *
  * `front` holds, newest last, for each older slice the aggregate from it to the end of the front; `back` the newer
  * slices and their aggregate so far.
  */
final class TwoStacks[B](aggregation: Combine[B]) extends Sweep[B] {
  private val front = new JArrayDeque[(Long, KeyMap[B])]
  private val back  = new JArrayDeque[(Long, KeyMap[B])]
  private val newer = new Sweep.Sum(aggregation)

  def enter(position: Long, slice: KeyMap[B]): Unit = {
    back.addLast((position, slice))
    newer.add(slice)
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
    var suffix = new KeyMap[B]
    while (!back.isEmpty) {
      val (position, slice) = back.removeLast()
      val sum               = suffix.copied
      Sweep.entries(slice).foreach { case (key, buffer) =>
        val after = suffix.get(key)
        sum.put(key, if (after == null) buffer else aggregation.combine(aggregation.copy(buffer), after))
      }
      front.addFirst((position, sum))
      suffix = sum
    }
    newer.clear()
  }

  def window: Iterator[(Key, B)] =
    if (front.isEmpty) Sweep.entries(newer.all)
    else {
      val older = front.peekFirst._2
      Sweep.entries(older).map { case (key, buffer) =>
        val right = newer.all.get(key)
        (key, if (right == null) buffer else aggregation.combine(aggregation.copy(buffer), right))
      } ++ Sweep.entries(newer.all).filterNot { case (key, _) => older.containsKey(key) }
    }

  def valueOf(key: Key): B = {
    val left  = if (front.isEmpty) null.asInstanceOf[B] else front.peekFirst._2.get(key)
    val right = newer.all.get(key)
    if (left == null) right else if (right == null) left else aggregation.combine(aggregation.copy(left), right)
  }
}
