package windrow.core.state

import scala.annotation.tailrec
import windrow.core.time.EventTime

/** Values added to a large segment and stored in a value of their own, next to the segment's.
  *
  * @param count
  *   number of values
  */
private[state] final case class Addition(id: Long, count: Long)

/** Decides when the additions to a large segment are merged. A step writes only the values that it adds instead of
  * rewriting the segment. To limit the number of parts to read, additions of about the same size are merged into one,
  * so a value is rewritten once each time its part grows fourfold.
  */
private[state] object Additions {

  /** Segments with fewer values are always read and rewritten completely. */
  val LargeFrom = 512

  /** Number of parts of about the same size at which they are merged. */
  private val Alike = 4

  /** Additions are numbered from here; positions of segments are always smaller. */
  val FirstId: Long = EventTime.Limit

  /** @param counts
    *   numbers of values in the parts of a segment, oldest part first
    * @return
    *   how many of the newest parts to merge; 1 keeps the newest part separate
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
