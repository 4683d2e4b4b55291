package windrow

import windrow.core.time.{Bounds, EventTime}

/** The axis of a kind of windows, and how users see its bounds (SEMANTICS W). Everything else uses [[Bounds]], whose
  * end is exclusive.
  *
  * @param names
  *   names of the two bounds in panes
  * @param showsLast
  *   whether panes show the last position inside, instead of the first one after the window
  * @param areTimes
  *   whether bounds are event times, in microseconds since the epoch
  */
private[windrow] sealed abstract class WindowBounds(
    val names: (String, String),
    showsLast: Boolean,
    val areTimes: Boolean) {

  /** The end of a window as panes and queries show it. */
  final def shownEnd(bounds: Bounds): Long = if (showsLast) bounds.last else bounds.end

  /** The watermark that completes a window; None if the watermark does not. */
  final def completeFrom(bounds: Bounds): Option[Long] =
    Option.when(areTimes && bounds.end != EventTime.Max)(bounds.end)
}

/** `[start, end)` in event time. */
private[windrow] case object HalfOpen extends WindowBounds(("start", "end"), showsLast = false, areTimes = true)

/** `[start, last]` in event time. */
private[windrow] case object Closed extends WindowBounds(("start", "last"), showsLast = true, areTimes = true)

/** `[first, last]`, sequence numbers of a key or offsets of a source partition. */
private[windrow] case object Positions extends WindowBounds(("first", "last"), showsLast = true, areTimes = false)

/** No bounds. */
private[windrow] case object Unbounded extends WindowBounds(("start", "end"), showsLast = false, areTimes = false)
