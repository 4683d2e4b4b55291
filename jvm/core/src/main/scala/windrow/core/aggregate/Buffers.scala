package windrow.core.aggregate

/** Buffers in order, by index, and the aggregates of ranges of them. */
private[core] trait Buffers[B] {

  /** The aggregate of a range; the caller may change it. */
  def value(from: Int, until: Int): B

  /** The buffers of a range, which must not be changed. */
  def buffers(from: Int, until: Int): Iterator[B]
}

/** A few buffers that were looked up together. */
private[core] final class BufferGroup[B](all: IndexedSeq[B], aggregation: Aggregation[B, _]) extends Buffers[B] {

  def value(from: Int, until: Int): B =
    if (from < until) (from + 1 until until).foldLeft(aggregation.copy(all(from)))((sum, i) =>
      aggregation.combine(sum, all(i)))
    else aggregation.zero

  def buffers(from: Int, until: Int): Iterator[B] = all.iterator.slice(from, until)
}
