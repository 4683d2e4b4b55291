package windrow.core.operator

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter, Key}
import windrow.core.time.Bounds
import windrow.core.trigger.{PaneState, ShownPane}

/** Identifies the window of a key in panes. */
private[core] final case class WindowId(key: Key, bounds: Bounds, message: Option[Array[Byte]] = None)

/** Makes panes in the configured accumulation mode (SEMANTICS R16-R18). Methods return the new pane state of a window
  * and do nothing else.
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

  /** Whether the last pane of a window is stored as it was shown. An inexact aggregation could differ in its last digit
    * if computed again (SEMANTICS R90).
    */
  val storesShown: Boolean = keeps && !aggregation.isExact

  /** Whether a firing reads the last pane of its window. */
  val readsShown: Boolean = retracts || spec.skipUnchanged

  /** Whether panes show all messages of their window, not only those since the last pane. */
  val showWhole: Boolean = !discards

  /** The state after one more entry. */
  def add(paneState: PaneState[B], entry: Entry[B], processingTime: Option[Long]): PaneState[B] =
    add(paneState, entry.count, entry.buffer, processingTime)

  /** The state after several more messages.
    *
    * @param buffer
    *   buffer of these messages; only evaluated if panes show parts
    */
  def add(paneState: PaneState[B], messages: Long, buffer: => B, processingTime: Option[Long]): PaneState[B] =
    paneState.copy(
      unsent = paneState.unsent + messages,
      since = paneState.since.orElse(processingTime),
      delta = if (discards) Some(joined(paneState.delta, buffer)) else None,
      isTouched = true)

  private def joined(delta: Option[B], buffer: B): B =
    delta.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer))

  /** The state of a window that replaces others and has not fired yet. It takes over their unsent messages
    * (SEMANTICS R84).
    */
  def merged(replaced: Seq[PaneState[B]]): PaneState[B] =
    replaced.reduceOption(together).fold(PaneState[B]())(all =>
      PaneState(unsent = all.unsent, since = all.since, delta = all.delta))

  private def together(one: PaneState[B], other: PaneState[B]) = PaneState(
    unsent = one.unsent + other.unsent,
    since = (one.since ++ other.since).minOption,
    delta = (one.delta ++ other.delta).reduceOption(aggregation.combine))

  /** The state that a window would have after its first pane, if that was on time. */
  def firedOnTime(whole: => B): PaneState[B] =
    PaneState(
      index = 1,
      shown = Option.when(keeps)(ShownPane(Timing.OnTime, 0, isLast = false, whole)),
      last = Some(Timing.OnTime))

  /** The first pane of a window that keeps no pane state. */
  def first(id: WindowId, timing: Timing, isLast: Boolean, whole: B): Effect[B, V] =
    pane(id, timing, 0, isLast, whole, isRetraction = false)

  /** The same for a value that is not that of the window's messages. */
  def firstOf(id: WindowId, timing: Timing, isLast: Boolean, value: V): Effect[B, V] =
    paneOf(id, timing, 0, isLast, value, isRetraction = false)

  /** Emits the panes of a firing with a value that is not that of the window's messages. */
  def fireValue(
      id: WindowId,
      paneState: PaneState[B],
      timing: Timing,
      isLast: Boolean,
      value: V,
      out: Out[Effect[B, V]]): PaneState[B] = {
    val sent = paneState.copy(unsent = 0, since = None, delta = None, isTouched = false)
    if (spec.skipUnchanged && paneState.shown.exists(shownValue(id, _) == value)) sent
    else {
      val kept = Option.when(readsShown && !isLast)(
        ShownPane(timing, paneState.index, isLast, aggregation.zero, Some(bytesOf(value))))
      send(id, sent, timing, paneOf(id, timing, paneState.index, isLast, value, isRetraction = false), kept, out)
    }
  }

  private def bytesOf(value: V): Array[Byte] = {
    val out = new ByteWriter
    aggregation.filler.get.write(value, out)
    out.result()
  }

  private def shownValue(id: WindowId, shown: ShownPane[B]): V = shown.value match {
    case Some(bytes) => ByteReader(bytes).decode(aggregation.filler.get.read)
    case None        => lowered(id, shown.timing, shown.buffer)
  }

  /** Emits the panes of a firing and returns the new pane state.
    *
    * @param whole
    *   value of all messages of the window; only evaluated if a pane shows it
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
    for (delta <- paneState.delta; storage <- aggregation.storage) storage.release(delta)
    val last = ShownPane(timing, paneState.index, isLast, buffer)
    if (isHeldBack(id, paneState, last)) sent
    else {
      val kept = Option.when(keeps && !isLast)(last.copy(buffer = aggregation.copy(buffer)))
      send(id, sent, timing, pane(id, last, isRetraction = false), kept, out)
    }
  }

  /** Emits a pane after the retraction of the one that it replaces, and returns the new pane state. */
  private def send(
      id: WindowId,
      paneState: PaneState[B],
      timing: Timing,
      pane: Effect[B, V],
      kept: Option[ShownPane[B]],
      out: Out[Effect[B, V]]): PaneState[B] = {
    if (retracts) withdraw(id, paneState, out)
    out.put(pane)
    paneState.copy(index = paneState.index + 1, shown = kept, last = Some(timing))
  }

  /** Emits the retraction of a window's last pane if one is kept. */
  def withdraw(id: WindowId, paneState: PaneState[B], out: Out[Effect[B, V]]): Unit =
    paneState.shown.foreach(shown => out.put(pane(id, shown, isRetraction = true)))

  private def isHeldBack(id: WindowId, paneState: PaneState[B], next: ShownPane[B]): Boolean = spec.skipUnchanged &&
    paneState.shown.exists(last => shownValue(id, last) == valueOf(id, next.timing, next.buffer))

  private def pane(id: WindowId, shown: ShownPane[B], isRetraction: Boolean): Effect[B, V] =
    paneOf(id, shown.timing, shown.index, shown.isLast, shownValue(id, shown), isRetraction)

  private def pane(
      id: WindowId,
      timing: Timing,
      index: Long,
      isLast: Boolean,
      buffer: B,
      isRetraction: Boolean): Effect[B, V] =
    paneOf(id, timing, index, isLast, lowered(id, timing, buffer), isRetraction)

  private def paneOf(
      id: WindowId,
      timing: Timing,
      index: Long,
      isLast: Boolean,
      value: V,
      isRetraction: Boolean): Effect[B, V] = Effect.Fire(Pane(
    id.key,
    id.bounds.start,
    shownEnd(id),
    timing,
    index,
    isLast,
    isRetraction,
    value,
    id.message))

  private val bounds = spec.window.bounds

  private def shownEnd(id: WindowId): Long = bounds.shownEnd(id.bounds)

  private def valueOf(id: WindowId, timing: Timing, buffer: B): V =
    aggregation.lowerUntil(buffer, Option.when(timing != Timing.Early)(id.bounds).flatMap(spec.fixedEnd))

  private def lowered(id: WindowId, timing: Timing, buffer: B): V =
    try valueOf(id, timing, buffer)
    catch {
      case stopped: GuardError =>
        throw new GuardError(
          stopped.problem,
          s"the window from ${id.bounds.start} to ${shownEnd(id)} of ${spec.window}")
    }
}
