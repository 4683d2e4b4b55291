package windrow.core.operator

import windrow._
import windrow.core.time.{Axis, Distance, EventTime, Watermark}
import windrow.core.window.LastEnd

/** Computes the watermark from which on no window accepts a message (SEMANTICS A5), so that a duplicate of it would be
  * rejected and its offset can be forgotten.
  *
  * The place of a message in time is its event time, the end of its session, or the end of the inherited window.
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

  /** Whether a message is rejected at a watermark. A message without a place in time always is; one with an unknown
    * place never is.
    */
  def isBefore(place: Long, now: Watermark, from: Long => Long): Boolean =
    place == EventTime.Min || (place != EventTime.Max && now.reached(from(place)))
}
