package windrow.core.state

import windrow.core.time.Due

/** What stands in [[KeyPages]].
  *
  * @tparam P
  *   where a value stands among those of its key; no other stands there
  * @tparam T
  *   the values
  * @tparam S
  *   what a page tells of its values without being read
  */
private[core] trait Paged[P, T, S] {
  implicit def order: Ordering[P]
  def at(value: T): P
  def places: Codec[P]
  def values: Codec[T]

  /** What is told of a single value. */
  def tell(value: T): S

  /** What is told of several, at least one. */
  def tell(values: Iterator[T]): S = values.map(tell).reduce(both)

  /** What is told of values in the place of what is told of some of them and of the others, which stay as they are. */
  def both(one: S, other: S): S

  /** What is told after one more value has come behind all others; None: they must be asked again. */
  def appended(told: S, value: T): Option[S] = None
  def told: Codec[S]
}

/** A place by start, then by end. */
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

/** A page tells the least time at which one of its values needs to be looked at. */
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

  /** When some value needs to be looked at. */
  def deadline(pages: Pages[_]): Long = pages.told.minOption.getOrElse(Due.Never)

  private object Deadlines extends Codec[Long] {
    def write(deadline: Long, out: ByteWriter): Unit = out.long(deadline)
    def read(in: ByteReader): Long                   = in.long()
  }
}
