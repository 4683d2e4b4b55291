package windrow.core.state

import scala.annotation.tailrec
import windrow.core.time.EventTime

/** Values that came to a large segment and stand beside it, in a value of their own.
  *
  * @param count
  *   how many there are
  */
private[state] final case class Addition(id: Long, count: Long)

/** When what is added to a segment is put together. A step writes what it brings, not all that is there; so that there are few parts
  * to read, those of about the same size become one, which has a value written once for each time that its part grows fourfold.
  */
private[state] object Additions {

  /** Segments with fewer values are read and written whole. */
  val LargeFrom = 512

  /** So many parts of about the same size do not stand side by side. */
  private val Alike = 4

  /** No position of a segment is as great. */
  val FirstId: Long = EventTime.Limit

  /** @param counts
    *   how many values the parts of a segment have, in the order in which they came
    * @return
    *   how many of the newest become one; 1: the newest stays by itself
    */
  def together(counts: IndexedSeq[Long]): Int = {
    @tailrec def from(taken: Int, size: Long): Int = {
      val alike = counts.size - 1 - counts.lastIndexWhere(magnitude(_) > magnitude(size), counts.size - 1 - taken)
      if (alike - taken + 1 < Alike) taken else from(alike, counts.takeRight(alike).sum)
    }
    from(1, counts.last)
  }

  private def magnitude(count: Long): Int = (63 - java.lang.Long.numberOfLeadingZeros(count)) / 2
}
