package windrow.core.aggregate

/** Buffers in order, by index, and the aggregates of ranges of them. */
private[core] trait Buffers[B] {

  /** The aggregate of a range, to be used up by the caller. */
  def value(from: Int, until: Int): B

  /** Not to be changed. */
  def buffers(from: Int, until: Int): Iterator[B]
}

/** A few that were looked up together. */
private[core] final class Gathered[B](all: IndexedSeq[B], aggregation: Aggregation[B, _]) extends Buffers[B] {

  def value(from: Int, until: Int): B =
    if (from < until) (from + 1 until until).foldLeft(aggregation.copy(all(from)))((sum, i) =>
      aggregation.combine(sum, all(i)))
    else aggregation.zero

  def buffers(from: Int, until: Int): Iterator[B] = all.iterator.slice(from, until)
}
