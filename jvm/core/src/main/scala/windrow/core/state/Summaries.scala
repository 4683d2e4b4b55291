package windrow.core.state

import scala.collection.mutable

/** What neighbours in a list tell together, found in the logarithm of their number: blocks of two, four, eight, … neighbours are
  * summed when they are asked for, and again after one of theirs has changed. Nothing of this is stored.
  *
  * @param size
  *   of the list
  * @param at
  *   what one tells
  * @param both
  *   of two neighbours, the first before the second; it changes neither
  */
private[core] final class Summaries[S](size: => Int, at: Int => S, both: (S, S) => S) {

  /** By level, those of blocks by their number. */
  private val blocks = mutable.ArrayBuffer.empty[mutable.LongMap[S]]

  /** How many have left at the front: the others keep their blocks. */
  private var left = 0L

  /** One has changed, or is new at the end. */
  def changed(index: Int): Unit =
    blocks.indices.foreach(level => blocks(level) -= (left + index) >> (level + 1))

  /** The first has left. */
  def droppedFirst(): Unit = {
    changed(0)
    left += 1
  }

  /** Others stand elsewhere now. */
  def moved(): Unit = {
    blocks.clear()
    left = 0
  }

  /** What those in a range tell. */
  def of(from: Int, until: Int): Option[S] = parts(from, until).map { case (level, block) => sum(level, block) }
    .reduceOption(both)

  def all: Option[S] = of(0, size)

  /** The first from an index on that tells something; -1: there is none. */
  def first(from: Int)(tells: S => Boolean): Int =
    parts(from, size).find { case (level, block) => tells(sum(level, block)) }.fold(-1) { case (level, block) =>
      var (in, found) = (level, block)
      while (in > 0) {
        in -= 1
        found *= 2
        if (!tells(sum(in, found))) found += 1
      }
      (found - left).toInt
    }

  /** Blocks that make up a range, as level and number. */
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
          val both = this.both(sum(level - 1, 2 * block), sum(level - 1, 2 * block + 1))
          blocks(level - 1)(block) = both
          both
        })
    }
}
