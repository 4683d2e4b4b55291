package windrow.core.operator

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.Key
import windrow.core.time.Bounds
import windrow.core.trigger.PaneState
import windrow.core.trigger.Shown

/** A window of a key, as panes name it. */
private[core] final case class WindowId(key: Key, bounds: Bounds, message: Option[Array[Byte]] = None)

/** Makes panes in the mode of accumulation (SEMANTICS R16-R18). What a window keeps of them is given back; nothing else
  * changes.
  *
  * @param withdraws
  *   windows can be replaced (sessions), so their last pane is kept in both accumulating modes
  */
private[core] final class PaneMaker[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    withdraws: Boolean) {
  private val discards = spec.accumulation == Discarding
  private val retracts = spec.accumulation == AccumulatingAndRetracting
  private val keeps    = retracts || spec.skipUnchanged || (withdraws && !discards)

  /** The last pane of a window must be stored as it was shown: made again it could differ in its last digit (SEMANTICS R90). */
  val storesShown: Boolean = keeps && !aggregation.isExact

  /** Panes show all that their window holds, not only what came since the last. */
  val showWhole: Boolean = !discards

  /** The window with one entry more. */
  def add(paneState: PaneState[B], entry: Entry[B], processingTime: Option[Long]): PaneState[B] =
    add(paneState, entry.count, entry.buffer, processingTime)

  /** The window with several messages more.
    *
    * @param buffer
    *   of these messages; not asked for unless panes are of parts
    */
  def add(paneState: PaneState[B], messages: Long, buffer: => B, processingTime: Option[Long]): PaneState[B] =
    paneState.copy(
      unsent = paneState.unsent + messages,
      since = paneState.since.orElse(processingTime),
      delta = if (discards) Some(joined(paneState.delta, buffer)) else None,
      isTouched = true)

  private def joined(delta: Option[B], buffer: B): B =
    delta.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer))

  /** A window that takes the place of others and has not fired yet; what they had not sent is its own (SEMANTICS R84). */
  def merged(replaced: Seq[PaneState[B]]): PaneState[B] =
    replaced.reduceOption(together).fold(PaneState[B]())(all =>
      PaneState(unsent = all.unsent, since = all.since, delta = all.delta))

  private def together(one: PaneState[B], other: PaneState[B]) = PaneState(
    unsent = one.unsent + other.unsent,
    since = (one.since ++ other.since).minOption,
    delta = (one.delta ++ other.delta).reduceOption(aggregation.combine))

  /** What a window would have kept of its pane on time, which was its first. */
  def firedOnTime(whole: => B): PaneState[B] =
    PaneState(
      index = 1,
      shown = Option.when(keeps)(Shown(Timing.OnTime, 0, isLast = false, whole)),
      last = Some(Timing.OnTime))

  /** The first pane of a window that keeps nothing of it. */
  def first(id: WindowId, timing: Timing, isLast: Boolean, whole: B): Effect[B, V] =
    pane(id, timing, 0, isLast, whole, isRetraction = false)

  /** Gives out panes; gives back what the window keeps from now on.
    *
    * @param whole
    *   the value of the window so far; not asked for where it does not show
    */
  def fire(
      id: WindowId,
      paneState: PaneState[B],
      timing: Timing,
      isLast: Boolean,
      whole: => B,
      out: Out[Effect[B, V]]): PaneState[B] = {
    val buffer = if (discards) paneState.delta.getOrElse(aggregation.zero) else whole
    val sent   = paneState.copy(unsent = 0, since = None, delta = None, isTouched = false)
    for (delta <- paneState.delta; keeping <- aggregation.keeping) keeping.release(delta)
    if (isHeldBack(paneState, buffer)) sent
    else {
      val last = Shown(timing, paneState.index, isLast, buffer)
      val kept = Option.when(keeps && !isLast)(last.copy(buffer = aggregation.copy(buffer)))
      if (retracts) withdraw(id, paneState, out)
      out.put(pane(id, last, isRetraction = false))
      sent.copy(index = paneState.index + 1, shown = kept, last = Some(timing))
    }
  }

  /** Gives out the retraction of a window's last pane, if that must be withdrawn. */
  def withdraw(id: WindowId, paneState: PaneState[B], out: Out[Effect[B, V]]): Unit =
    paneState.shown.foreach(shown => out.put(pane(id, shown, isRetraction = true)))

  private def isHeldBack(paneState: PaneState[B], buffer: B): Boolean = spec.skipUnchanged &&
    paneState.shown.exists(last => aggregation.lower(last.buffer) == aggregation.lower(buffer))

  private def pane(id: WindowId, shown: Shown[B], isRetraction: Boolean): Effect[B, V] =
    pane(id, shown.timing, shown.index, shown.isLast, shown.buffer, isRetraction)

  private def pane(
      id: WindowId,
      timing: Timing,
      index: Long,
      isLast: Boolean,
      buffer: B,
      isRetraction: Boolean): Effect[B, V] = Effect.Fire(Pane(
    id.key,
    id.bounds.start,
    shownEnd(id),
    timing,
    index,
    isLast,
    isRetraction,
    lowered(id, buffer),
    id.message))

  private def shownEnd(id: WindowId): Long = spec.window.bounds.shownEnd(id.bounds)

  private def lowered(id: WindowId, buffer: B): V =
    try aggregation.lower(buffer)
    catch {
      case stopped: GuardError =>
        throw new GuardError(
          stopped.problem,
          s"the window from ${id.bounds.start} to ${shownEnd(id)} of ${spec.window}")
    }
}
