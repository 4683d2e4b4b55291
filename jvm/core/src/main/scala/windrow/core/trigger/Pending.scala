package windrow.core.trigger

import windrow._
import windrow.core.time.Axis
import windrow.core.time.Bounds
import windrow.core.time.Distance
import windrow.core.time.EventTime

/** A firing of a window that comes if no more messages do.
  *
  * @param watermark
  *   the least that brings it, in microseconds; None: it waits for no watermark
  * @param processingTime
  *   that brings it, in microseconds; None: it waits for none
  */
final case class Pending(timing: Timing, watermark: Option[Long], processingTime: Option[Long])

/** Which firings of a window are to come. */
private[windrow] final class PendingPolicy(
    window: WindowKind,
    early: PaneTrigger,
    onTime: Boolean,
    late: PaneTrigger,
    lateness: Distance[Axis.Time]) {
  private val policy = new WindowTrigger(early, late)

  /** @param firesEmpty
    *   on time, also when nothing is unsent
    */
  def of(bounds: Bounds, isComplete: Boolean, paneState: PaneState[_], firesEmpty: Boolean): Seq[Pending] = {
    val isUnsent = paneState.unsent > 0
    val edge     = window.bounds.completeFrom(bounds)
    val first    = edge.filter(_ => !isComplete && onTime && (isUnsent || firesEmpty))
    val last     = edge.filter(_ => isUnsent && (isComplete || !onTime)).flatMap(afterLateness)
    val period   = if (isUnsent) policy.deadline(isComplete, paneState.since) else None
    first.map(at => Pending(Timing.OnTime, Some(at), None)).toSeq ++
      period.map(at => Pending(if (isComplete) Timing.Late else Timing.Early, None, Some(at))) ++
      last.map(at => Pending(Timing.Late, Some(at), None))
  }

  private def afterLateness(edge: Long): Option[Long] =
    Option(lateness.after(edge)).filter(_ != EventTime.Max)
}
