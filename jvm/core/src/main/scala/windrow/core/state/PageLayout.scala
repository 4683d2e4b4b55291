package windrow.core.state

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
private[core] trait PageLayout[P, T, S] {
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
