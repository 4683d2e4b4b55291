package windrow.core.operator

import windrow._
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime
import windrow.core.time.Watermark
import windrow.core.window.LastEnd

/** From which watermark on no window takes a message any more (SEMANTICS A5): a second coming of it would be refused.
  *
  * A message has a place in time: its event time, of a session its end, of an inherited window the end of that.
  */
private[core] final class RefusalTime(window: WindowKind, lateness: Distance[Axis.Time], retention: Retention) {

  private val from: Long => Long = {
    val lastEnd = LastEnd.of(window)
    if (window.holdsEverything) retention.isOutFrom
    else place => lateness.after(lastEnd(place))
  }

  def hasCome(place: Long, now: Watermark): Boolean = RefusalTime.isBefore(place, now, from)
}

private[core] object RefusalTime {

  /** A message without a place in time is refused at any watermark, one whose place is not known at none. */
  def isBefore(place: Long, now: Watermark, from: Long => Long): Boolean =
    place == EventTime.Min || (place != EventTime.Max && now.reached(from(place)))
}
