package windrow.core.trigger

import windrow._
import windrow.core.time.{Axis, Bounds, Distance, EventTime}

/** A firing of a window that will happen if it receives no further messages.
  *
  * @param watermark
  *   the least watermark that triggers it, in microseconds; None if it depends on none
  * @param processingTime
  *   the processing time that triggers it, in microseconds; None if it depends on none
  */
final case class PendingFiring(timing: Timing, watermark: Option[Long], processingTime: Option[Long])

/** Computes the pending firings of a window. */
private[windrow] final class PendingPolicy(
    window: WindowKind,
    early: PaneTrigger,
    onTime: Boolean,
    late: PaneTrigger,
    lateness: Distance[Axis.Time]) {
  private val policy = new WindowTrigger(early, late)

  /** @param firesEmpty
    *   whether it fires on time even without unsent messages
    */
  def of(bounds: Bounds, isComplete: Boolean, paneState: PaneState[_], firesEmpty: Boolean): Seq[PendingFiring] = {
    val isUnsent = paneState.unsent > 0
    val edge     = window.bounds.completeFrom(bounds)
    val first    = edge.filter(_ => !isComplete && onTime && (isUnsent || firesEmpty))
    val last     = edge.filter(_ => isUnsent && (isComplete || !onTime)).flatMap(afterLateness)
    val period   = if (isUnsent) policy.deadline(isComplete, paneState.since) else None
    first.map(at => PendingFiring(Timing.OnTime, Some(at), None)).toSeq ++
      period.map(at => PendingFiring(if (isComplete) Timing.Late else Timing.Early, None, Some(at))) ++
      last.map(at => PendingFiring(Timing.Late, Some(at), None))
  }

  private def afterLateness(edge: Long): Option[Long] =
    Option(lateness.after(edge)).filter(_ != EventTime.Max)
}
