package windrow.core.aggregate

import scala.collection.immutable.ArraySeq

/** Computes the values of many ranges of the same buffers, with ascending starts and ends, in one sweep. It uses two
  * stacks; between them is the part that all ranges of a group share, which is queried once. The cost is the buffers by
  * which the ranges differ plus one query for each group, which is O(1) amortized for each range if they overlap. See
  * [[Sweep]] for the paper.
  */
private[core] final class RangeSweep[B](all: Buffers[B], aggregation: Aggregation[B, _]) {

  /** Computes the values of ranges.
    *
    * @param ranges
    *   `[from, until)` by index
    * @return
    *   their values in the same order; the caller may change them
    */
  def apply(ranges: IndexedSeq[(Int, Int)]): Iterator[B] =
    Iterator.unfold(0)(first =>
      Option.when(first < ranges.size) {
        val last = endOfGroup(ranges, first)
        (group(ranges.slice(first, last)), last)
      }).flatten

  /** The end of a group of ranges that each start before the first one ends. */
  private def endOfGroup(ranges: IndexedSeq[(Int, Int)], first: Int): Int = {
    val until = ranges(first)._2
    val found = ranges.indexWhere(_._1 >= until, first + 1)
    if (found < 0) ranges.size else found
  }

  /** Whether the ranges have so few buffers that a sweep would not combine fewer. */
  private def isShort(ranges: IndexedSeq[(Int, Int)]): Boolean = ranges.size == 1 ||
    ranges.iterator.map { case (from, until) => until - from.toLong }.sum <= 2L * ranges.size

  private def group(ranges: IndexedSeq[(Int, Int)]): Iterator[B] = {
    val (first, last) = (ranges.head, ranges.last)
    if (isShort(ranges)) ranges.iterator.map { case (from, until) => all.value(from, until) }
    else {
      val suffixes = suffixesOf(first._1, last._1, all.value(last._1, first._2))
      val newer    = all.buffers(first._2, last._2)
      var reached  = first._2
      var right    = Option.empty[B]
      ranges.iterator.map { case (from, until) =>
        while (reached < until) {
          val buffer = newer.next()
          right = Some(right.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer)))
          reached += 1
        }
        val left = aggregation.copy(suffixes(from - first._1))
        right.fold(left)(aggregation.combine(left, _))
      }
    }
  }

  /** For each index of a range, the aggregate from it to the end of the part that all ranges share, which starts at
    * `until`; the last element is the aggregate of this part.
    */
  private def suffixesOf(from: Int, until: Int, middle: B): IndexedSeq[B] = {
    val own      = all.buffers(from, until).toIndexedSeq
    val suffixes = new Array[Any](own.size + 1)
    suffixes(own.size) = middle
    own.indices.reverseIterator.foreach(i =>
      suffixes(i) = aggregation.combine(aggregation.copy(own(i)), suffixes(i + 1).asInstanceOf[B]))
    ArraySeq.unsafeWrapArray(suffixes).asInstanceOf[IndexedSeq[B]]
  }
}
