package windrow.core.time

/** The bounds `[start, end)` of a window on an axis. The end is always exclusive; only [[windrow.WindowBounds]] decides
  * how panes show it.
  */
final case class Bounds(start: Long, end: Long) {

  /** The last position inside. */
  def last: Long = Position.minus(end, 1)

  /** From the first start to the last end of both. */
  def span(other: Bounds): Bounds = Bounds(math.min(start, other.start), math.max(end, other.end))

  /** Whether it overlaps a closed range. A bound of None is open. */
  def meets(from: Option[Long], to: Option[Long]): Boolean = from.forall(_ < end) && to.forall(_ >= start)
}

object Bounds {

  /** Bounds with an inclusive last position. */
  def to(start: Long, last: Long): Bounds = Bounds(start, Position.plus(last, 1))
}
