package windrow.core.operator

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.Key

/** A window of a key, as panes name it. */
private[operator] final case class WindowId(key: Key, start: Long, end: Long)

/** Makes panes in the mode of accumulation (SEMANTICS R16-R18). Nothing is changed here: what the window keeps from now on
  * is given back.
  *
  * @param withdraws
  *   windows can be replaced (sessions), so their last pane is kept in every accumulating mode
  */
private[operator] final class PaneMaker[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    withdraws: Boolean) {
  private val discards = spec.accumulation == Discarding
  private val retracts = spec.accumulation == AccumulatingAndRetracting
  private val keeps    = retracts || spec.fireOnlyUpdated || (withdraws && !discards)

  /** The window with one entry more. */
  def add(firing: Firing[B], entry: Entry[B], processingTime: Option[Long]): Firing[B] = firing.copy(
    unsent = firing.unsent + entry.count,
    since = firing.since.orElse(processingTime),
    delta =
      if (!discards) None
      else Some(firing.delta.fold(aggregation.copy(entry.buffer))(aggregation.combine(_, entry.buffer))))

  /** @param whole
    *   the value of the window so far; not asked for where it does not show
    */
  def fire(
      id: WindowId,
      firing: Firing[B],
      timing: Timing,
      isLast: Boolean,
      whole: => B): (Seq[Effect[B, V]], Firing[B]) = {
    val buffer = if (discards) firing.delta.getOrElse(aggregation.zero) else whole
    val sent =
      firing.copy(unsent = 0, since = None, delta = None, isPastOnTime = firing.isPastOnTime || timing != Timing.Early)
    if (spec.fireOnlyUpdated && firing.shown.exists(last =>
        aggregation.lower(last.buffer) == aggregation.lower(buffer))) (Nil, sent)
    else {
      val last  = Shown(timing, firing.index, isLast, if (keeps) aggregation.copy(buffer) else buffer)
      val panes = (if (retracts) withdrawn(id, firing) else Nil) :+ pane(id, last, isRetraction = false)
      (panes, sent.copy(index = firing.index + 1, shown = Option.when(keeps)(last)))
    }
  }

  /** The retraction of a window's last pane. */
  def withdrawn(id: WindowId, firing: Firing[B]): Seq[Effect[B, V]] =
    firing.shown.toSeq.map(pane(id, _, isRetraction = true))

  private def pane(id: WindowId, shown: Shown[B], isRetraction: Boolean): Effect[B, V] = Effect.Fire(Pane(
    id.key,
    id.start,
    id.end,
    shown.timing,
    shown.index,
    shown.isLast,
    isRetraction,
    aggregation.lower(shown.buffer)))
}
