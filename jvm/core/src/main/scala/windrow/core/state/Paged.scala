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
  def at(value: T): P
  def places: Codec[P]
  def values: Codec[T]

  /** The summary of a single value. */
  def tell(value: T): S

  /** The summary of at least one value. */
  def tell(values: Iterator[T]): S = values.map(tell).reduce(both)

  /** Merges the summaries of two groups of values, without changing either. */
  def both(one: S, other: S): S

  /** The summary after a value was appended; None if it must be recomputed from the values. */
  def appended(told: S, value: T): Option[S] = None
  def told: Codec[S]
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
private[core] final class PagedByDeadline[T](val values: Codec[T], place: T => Place, deadline: T => Long)
    extends Paged[Place, T, Long] {
  implicit def order: Ordering[Place]    = Place.Order
  def at(value: T): Place                = place(value)
  def places: Codec[Place]               = Place
  def tell(value: T): Long               = deadline(value)
  def both(one: Long, other: Long): Long = math.min(one, other)
  def told: Codec[Long]                  = PagedByDeadline.Deadlines
}

private[core] object PagedByDeadline {
  type Pages[T] = KeyPages[Place, T, Long]

  /** The earliest time at which a value is due. */
  def deadline(pages: Pages[_]): Long = pages.told.minOption.getOrElse(Due.Never)

  private object Deadlines extends Codec[Long] {
    def write(deadline: Long, out: ByteWriter): Unit = out.long(deadline)
    def read(in: ByteReader): Long                   = in.long()
  }
}
