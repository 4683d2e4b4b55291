package windrow

import windrow.core.time.Bounds
import windrow.core.time.EventTime

/** Where the bounds of a kind of windows stand, and whether the second one is inside as users see it (SEMANTICS W). All
  * else reckons with [[Bounds]], whose end is outside.
  *
  * @param names
  *   of the two, as panes show them
  * @param showsLast
  *   panes show the last position inside, else the first one behind
  * @param areTimes
  *   they are event times, microseconds since the epoch
  */
private[windrow] sealed abstract class WindowBounds(
    val names: (String, String),
    showsLast: Boolean,
    val areTimes: Boolean) {

  /** Where panes and questions show that a window ends. */
  final def shownEnd(bounds: Bounds): Long = if (showsLast) bounds.last else bounds.end

  /** The watermark that completes a window; None: none does. */
  final def completeFrom(bounds: Bounds): Option[Long] =
    Option.when(areTimes && bounds.end != EventTime.Max)(bounds.end)
}

/** `[start, end)` in event time. */
private[windrow] case object HalfOpen extends WindowBounds(("start", "end"), showsLast = false, areTimes = true)

/** `[start, last]` in event time. */
private[windrow] case object Closed extends WindowBounds(("start", "last"), showsLast = true, areTimes = true)

/** `[first, last]`, sequence numbers of a key or offsets of a source partition. */
private[windrow] case object Positions extends WindowBounds(("first", "last"), showsLast = true, areTimes = false)

/** All there is. */
private[windrow] case object Unbounded extends WindowBounds(("start", "end"), showsLast = false, areTimes = false)
