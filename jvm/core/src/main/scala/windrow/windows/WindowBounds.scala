package windrow

import windrow.core.time.Position.plus

/** Where the bounds of a kind of windows stand, and whether the second one is inside (SEMANTICS W).
  *
  * @param names
  *   of the two, as panes show them
  */
private[windrow] sealed abstract class WindowBounds(val names: (String, String)) {

  /** A window that ends at `end` reaches as far as a position. */
  def reach(end: Long, position: Long): Boolean

  /** The watermark that completes a window which ends at `end`; None: none does. */
  def completeFrom(end: Long): Option[Long]

  /** They are event times, microseconds since the epoch. */
  final def areTimes: Boolean = this == HalfOpen || this == Closed
}

/** `[start, end)` in event time. */
private[windrow] case object HalfOpen extends WindowBounds(("start", "end")) {
  def reach(end: Long, position: Long): Boolean = position < end
  def completeFrom(end: Long): Option[Long]     = Some(end)
}

/** `[start, last]` in event time. */
private[windrow] case object Closed extends WindowBounds(("start", "last")) {
  def reach(end: Long, position: Long): Boolean = position <= end
  def completeFrom(end: Long): Option[Long]     = Option(plus(end, 1)).filter(_ != end)
}

/** `[first, last]`, sequence numbers of a key or offsets of a source partition. */
private[windrow] case object Positions extends WindowBounds(("first", "last")) {
  def reach(end: Long, position: Long): Boolean = position <= end
  def completeFrom(end: Long): Option[Long]     = None
}

/** All there is. */
private[windrow] case object Unbounded extends WindowBounds(("start", "end")) {
  def reach(end: Long, position: Long): Boolean = true
  def completeFrom(end: Long): Option[Long]     = None
}
