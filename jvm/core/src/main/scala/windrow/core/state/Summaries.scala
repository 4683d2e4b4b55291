package windrow.core.state

import scala.collection.mutable

/** Summaries of any range of a list, computed in logarithmic time. Blocks of two, four, eight, … neighbors are merged
  * on demand, and again after one of their elements has changed. Nothing of this is stored.
  *
  * @param size
  *   size of the list
  * @param at
  *   summary of an element
  * @param merged
  *   merges two adjacent summaries, the first one before the second, without changing either
  */
private[core] final class Summaries[S](size: => Int, at: Int => S, merged: (S, S) => S) {

  /** For each level, the computed summaries by block number. */
  private val blocks = mutable.ArrayBuffer.empty[mutable.LongMap[S]]

  /** Number of elements removed at the front. It is added to indexes, so that the other elements keep their blocks. */
  private var left = 0L

  /** An element has changed or was appended. */
  def changed(index: Int): Unit =
    blocks.indices.foreach(level => blocks(level) -= (left + index) >> (level + 1))

  /** The first element was removed. */
  def droppedFirst(): Unit = {
    changed(0)
    left += 1
  }

  /** Elements have other indexes now, so all blocks are invalid. */
  def moved(): Unit = {
    blocks.clear()
    left = 0
  }

  /** The summary of a range; None if it is empty. */
  def of(from: Int, until: Int): Option[S] = parts(from, until).map { case (level, block) => sum(level, block) }
    .reduceOption(merged)

  def all: Option[S] = of(0, size)

  /** The first index from `from` on whose summary meets a condition; -1 if none does. */
  def first(from: Int)(holds: S => Boolean): Int =
    parts(from, size).find { case (level, block) => holds(sum(level, block)) }.fold(-1) { case (level, block) =>
      var (in, found) = (level, block)
      while (in > 0) {
        in -= 1
        found *= 2
        if (!holds(sum(in, found))) found += 1
      }
      (found - left).toInt
    }

  /** The blocks that make up a range, as level and number. */
  private def parts(from: Int, until: Int): Iterator[(Int, Long)] = {
    val end = left + until
    Iterator.unfold(left + from) { start =>
      Option.when(start < end) {
        val fits  = 63 - java.lang.Long.numberOfLeadingZeros(end - start)
        val level = math.min(fits, java.lang.Long.numberOfTrailingZeros(start))
        ((level, start >> level), start + (1L << level))
      }
    }
  }

  private def sum(level: Int, block: Long): S =
    if (level == 0) at((block - left).toInt)
    else {
      while (blocks.size < level) blocks += mutable.LongMap.empty[S]
      blocks(level - 1).getOrElse(
        block, {
          val both = merged(sum(level - 1, 2 * block), sum(level - 1, 2 * block + 1))
          blocks(level - 1)(block) = both
          both
        })
    }
}
