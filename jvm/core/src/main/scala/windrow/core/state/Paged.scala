package windrow.core.state

import windrow.core.time.Due

/** Describes the values of [[KeyPages]]: their order, their codecs, and a summary of each page that is available
  * without reading it.
  *
  * @tparam P
  *   place of a value, unique within its key
  * @tparam T
  *   value
  * @tparam S
  *   summary of the values of a page
  */
private[core] trait Paged[P, T, S] {
  implicit def order: Ordering[P]
  def place(value: T): P
  def places: Codec[P]
  def values: Codec[T]
  def summaries: Codec[S]

  /** The summary of a single value. */
  def summaryOf(value: T): S

  /** The summary of at least one value. */
  def summaryOf(values: Iterator[T]): S = values.map(summaryOf).reduce(merged)

  /** Merges the summaries of two groups of values, without changing either. */
  def merged(one: S, other: S): S

  /** The summary after a value was added, which may overwrite the one before; None if it must be recomputed from the
    * values.
    */
  def added(summary: S, value: T): Option[S] = None
}

/** A place ordered by start, then by end. */
private[core] final case class Place(start: Long, end: Long)

private[core] object Place extends Codec[Place] {
  implicit val Order: Ordering[Place] = (a, b) =>
    if (a.start != b.start) java.lang.Long.compare(a.start, b.start) else java.lang.Long.compare(a.end, b.end)

  def write(place: Place, out: ByteWriter): Unit = {
    out.long(place.start)
    out.long(place.end)
  }

  def read(in: ByteReader): Place = Place(in.long(), in.long())
}

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
