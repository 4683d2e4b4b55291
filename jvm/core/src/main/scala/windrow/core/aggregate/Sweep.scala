package windrow.core.aggregate

import java.util.{ArrayDeque => JArrayDeque, BitSet}
import windrow.core.state.{Key, KeyMap}

/** Computes the values of windows that move forward over slices: slices enter on the right and leave on the left.
  *
  * The slices are those of Krishnamurthy, Wu and Franklin, On-the-Fly Sharing for Streamed Aggregation (SIGMOD 2006),
  * kept for late messages as in Traub and others, Efficient Window Aggregation with General Stream Slicing (EDBT 2019).
  * The two stacks are those of Tangwongsan, Hirzel and Schneider, Low-Latency Sliding-Window Aggregation in Worst-Case
  * Constant Time (DEBS 2017).
  */
trait Sweep[B] {

  /** Adds the slice at `position`; positions must increase. Does not change the map. */
  def enter(position: Long, slice: KeyMap[B]): Unit

  /** Removes the slices below a position. */
  def leaveBelow(position: Long): Unit

  /** The keys of all current slices with their combined buffers, in the order of the slices. Valid until a slice enters
    * or leaves. The buffers must not be changed.
    */
  def window: Iterator[(Key, B)]

  /** The combined buffer of one key over all current slices, under the same conditions; null if none contains the key.
    */
  def valueOf(key: Key): B
}

object Sweep {

  /** Two stacks are cheaper if a window has eight or more slices; otherwise combining each window from scratch is
    * cheaper (docs/benchmarks.md).
    */
  def apply[B](slicesPerWindow: Long, aggregation: Combiner[B]): Sweep[B] =
    if (combinesInOrder(slicesPerWindow)) new Recalculate(aggregation) else new TwoStacks(aggregation)

  /** Whether a window is combined slice by slice, starting at the oldest, as in a query for a single window. */
  def combinesInOrder(slicesPerWindow: Long): Boolean = slicesPerWindow < 8

  /** The sum of slices. Buffers that occur in a single slice are not copied. */
  private[aggregate] final class Sum[B](aggregation: Combiner[B]) {
    val all         = new KeyMap[B]
    private val own = new BitSet

    /** Adds a slice on the right. */
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

  /** The keys and buffers of a map, in its order. */
  private[aggregate] def entries[B](of: KeyMap[B]): Iterator[(Key, B)] = new Iterator[(Key, B)] {
    private var at       = -1
    def hasNext: Boolean = at + 1 < of.size
    def next(): (Key, B) = {
      at += 1
      (of.keyAt(at), of.valueAt(at))
    }
  }
}

/** Combines every window from scratch: Θ(slices) for each window. */
final class Recalculate[B](aggregation: Combiner[B]) extends Sweep[B] {
  private val inside = new JArrayDeque[(Long, KeyMap[B])]
  private val sum    = new Sweep.Sum(aggregation)

  /** The sum of the current slices; null if a slice has entered or left. */
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

/** Two stacks: a queue of slices whose aggregate costs O(1) amortized for each step, without inverting the aggregation.
  *
  * `front` contains, for each older slice, the aggregate from it to the end of the front, with the newest slice last.
  * `back` contains the newer slices, and `newer` their aggregate.
  */
final class TwoStacks[B](aggregation: Combiner[B]) extends Sweep[B] {
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

  /** Turns the back into suffix aggregates. If a slice does not contain a key, it shares the buffer of the next slice.
    */
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
