package windrow.core.state

import windrow.core.time.Due

/** Pages whose summary is the earliest time at which one of their values is due. */
private[core] final class PagedByDeadline[T](val values: Codec[T], at: T => Place, deadline: T => Long)
    extends Paged[Place, T, Long] {
  implicit def order: Ordering[Place]      = Place.Order
  def place(value: T): Place               = at(value)
  def places: Codec[Place]                 = Place
  def summaryOf(value: T): Long            = deadline(value)
  def merged(one: Long, other: Long): Long = math.min(one, other)
  def summaries: Codec[Long]               = PagedByDeadline.Deadlines
}

private[core] object PagedByDeadline {
  type Pages[T] = KeyPages[Place, T, Long]

  /** The earliest time at which a value is due. */
  def deadline(pages: Pages[_]): Long = pages.pageSummaries.minOption.getOrElse(Due.Never)

  private object Deadlines extends Codec[Long] {
    def write(deadline: Long, out: ByteWriter): Unit = out.long(deadline)
    def read(in: ByteReader): Long                   = in.long()
  }
}
