package windrow.core.aggregate

import scala.collection.mutable.ArrayBuffer

/** The values of many ranges of the same buffers, whose starts and ends both ascend, in one sweep: two stacks, between
  * which lies what the ranges of a group have in common, asked for once. Cost: the buffers by which the ranges differ, and
  * one query for each group; O(1) amortised for each range where they overlap. See [[Sweep]] for the paper.
  */
private[core] final class RangeSweep[B](all: Buffers[B], aggregation: Aggregation[B, _]) {

  /** @param ranges
    *   `[from, until)` by index
    * @return
    *   their values in the same order, to be used up by the caller
    */
  def apply(ranges: IndexedSeq[(Int, Int)]): Iterator[B] =
    Iterator.unfold(0)(first =>
      Option.when(first < ranges.size) {
        val last = endOfGroup(ranges, first)
        (group(ranges.slice(first, last)), last)
      }).flatten

  /** Ranges go together as long as each begins before the first one ends. */
  private def endOfGroup(ranges: IndexedSeq[(Int, Int)], first: Int): Int = {
    val until = ranges(first)._2
    val found = ranges.indexWhere(_._1 >= until, first + 1)
    if (found < 0) ranges.size else found
  }

  private def group(ranges: IndexedSeq[(Int, Int)]): Iterator[B] =
    if (ranges.size == 1) Iterator.single(all.value(ranges.head._1, ranges.head._2))
    else {
      val (low, high) = (ranges.last._1, ranges.head._2) // what all have: [low, high)
      val middle      = all.value(low, high)
      val suffixes    = suffixesOf(ranges.head._1, low)
      var right       = Option.empty[B]
      var reached     = high
      ranges.iterator.map { case (from, until) =>
        all.buffers(reached, until).foreach(buffer =>
          right = Some(right.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer))))
        reached = until
        val left =
          if (from == low) aggregation.copy(middle)
          else aggregation.combine(aggregation.copy(suffixes(from - ranges.head._1)), middle)
        right.fold(left)(aggregation.combine(left, _))
      }
    }

  /** For each index in a range the aggregate from it to the end of the range. */
  private def suffixesOf(from: Int, until: Int): IndexedSeq[B] = {
    val suffixes = new ArrayBuffer[B]
    all.buffers(from, until).toVector.reverseIterator.foreach { buffer =>
      val own = aggregation.copy(buffer)
      suffixes += (if (suffixes.isEmpty) own else aggregation.combine(own, suffixes.last))
    }
    suffixes.reverse.toIndexedSeq
  }
}
