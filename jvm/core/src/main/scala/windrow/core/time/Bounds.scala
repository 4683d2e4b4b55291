package windrow.core.time

/** `[start, end)` on an axis. The end is never inside, whatever panes show of it: that is told by
  * [[windrow.WindowBounds]] alone.
  */
final case class Bounds(start: Long, end: Long) {

  /** The last position inside. */
  def last: Long = Position.minus(end, 1)

  /** From the first start to the last end of both. */
  def span(other: Bounds): Bounds = Bounds(math.min(start, other.start), math.max(end, other.end))

  /** It has a position of a closed range; None: open. */
  def meets(from: Option[Long], to: Option[Long]): Boolean = from.forall(_ < end) && to.forall(_ >= start)
}

object Bounds {

  /** Of what has its last position inside. */
  def to(start: Long, last: Long): Bounds = Bounds(start, Position.plus(last, 1))
}
