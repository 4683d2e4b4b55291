package windrow.core.operator
package sessions

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state._
import windrow.core.time.{Due, StepClock, Watermark}
import windrow.core.trigger.{FiringRule, PaneState, ProcessingTimer, Stage, WindowTrigger}

/** Windows inherited from the panes of another operator, by key and window. A retraction removes its pane again; a
  * window whose panes are all removed withdraws its own last pane (SEMANTICS R55).
  */
private[core] final class InheritAlgorithm[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {

  private type Window  = InheritedWindow[B]
  private type Windows = DeadlineLayout.Pages[Window]

  private val lateness = spec.latenessInTime
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val rule     = new FiringRule(spec.onTime, policy)
  private val panes    = new PaneMaker(spec, aggregation, withdraws = true)
  private val segments = new Segments("pages", store)
  private val incoming = new Segments("incoming", store)
  private val ofWindow = new InheritedCodec(aggregation, incoming)
  private val codec = new KeyPagesCodec(
    new DeadlineLayout[Window](
      ofWindow,
      window => Place(window.start, window.end),
      deadline),
    segments)

  /** The windows of each key. A window is removed when it closes, a key with its last window. Stored in the checkpoint.
    */
  private val keys = new KeyBuckets[Windows]("inherited", store, codec, DeadlineLayout.deadline)

  private val periods = new ProcessingTimer(policy)

  /** The watermark at the end of the last step, which determines deadlines; set when a step ends. */
  private var reached = Watermark.None

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  private def isClosed(window: Window, at: Watermark): Boolean = at.reached(window.end, lateness)

  /** When a window is next due: when it completes, and later when it is removed. */
  private def deadline(window: Window): Long =
    if (reached.reached(window.end)) lateness.after(window.end) else window.end

  override def hasPlace(entry: Entry[B]): Boolean = entry.pane.isDefined

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val pane = entry.pane.get
    if (clock.before.reached(pane.end, lateness))
      out.put(Effect.Reject(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val windows = Option(keys.get(entry.key)).getOrElse(codec.empty)
      val found   = windows.get(Place(pane.start, pane.end))
      counters.accepted += entry.count
      val old = found.getOrElse(ofWindow.created(pane.start, pane.end))
      windows.put(update(entry, pane, old, isNew = found.isEmpty, clock, out))
      keys.put(entry.key, windows)
    }
  }

  private def update(
      entry: Entry[B],
      pane: IncomingPane,
      old: Window,
      isNew: Boolean,
      clock: StepClock,
      out: Out[Effect[B, V]]): Window = {
    val changes = if (pane.isRetraction) old.panes.retract(pane.content) else old.panes.add(pane.content, entry.buffer)
    // A window that is complete when its first message arrives is late (SEMANTICS R79), unless that message completes
    // it.
    val isFirst   = isNew && changes && pane.timing == Timing.Late && clock.before.reached(pane.end)
    val paneState = old.paneState.copy(isPastOnTime = old.paneState.isPastOnTime || isFirst)
    val now = old.copy(
      isPastOnTime = old.isPastOnTime || pane.timing != Timing.Early,
      paneState = if (changes) panes.add(paneState, entry, clock.processingTime) else paneState)
    val isLate    = now.paneState.isPastOnTime
    val completes = !isLate && now.isComplete(clock.before)
    val timing =
      if (changes && !now.panes.isEmpty) rule.withMessage(isLate, isFirst, completes, now.paneState.unsent) else None
    if (timing.isEmpty) periods.add(isLate, now.paneState)
    fire(entry.key, now, timing, isLast = false, out)
  }

  private def fire(
      key: Key,
      window: Window,
      timing: Option[Timing],
      isLast: Boolean,
      out: Out[Effect[B, V]]): Window =
    timing.fold(window) { timing =>
      val before = if (panes.readsShown) withShown(window) else window.paneState
      val after  = panes.fire(idOf(key, window), before, timing, isLast, window.panes.sum, out)
      window.panes.show()
      window.copy(paneState = after)
    }

  /** The pane state with the buffer of the last pane if that is not stored. */
  private def withShown(window: Window): PaneState[B] =
    if (aggregation.storage.isEmpty) window.paneState
    else window.paneState.copy(shown = window.paneState.shown.map(_.copy(buffer = window.panes.shownSum)))

  private def idOf(key: Key, window: Window) = WindowId(key, window.bounds)

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    reached = now
    val moved   = now != clock.before
    val isDue   = periods.takeReached(clock.processingTime)
    val horizon = if (isDue) Due.Never else if (moved) now.at else Due.AtOnce
    keys.walk(horizon).map[Part[Effect[B, V]]](key => endStep(key, horizon, clock, now, _))
  }

  private def endStep(key: Key, horizon: Long, clock: StepClock, now: Watermark, out: Out[Effect[B, V]]): Unit = {
    val windows = keys.get(key)
    val due     = windows.due(_ <= horizon)
    due.foreach(before => keep(windows, before, endStep(key, before, clock, now, out), clock, now))
    if (windows.isEmpty) keys.remove(key) else if (due.nonEmpty) keys.put(key, windows)
  }

  private def keep(windows: Windows, before: Window, window: Window, clock: StepClock, now: Watermark): Unit =
    if (isClosed(window, now)) {
      windows.remove(window)
      window.panes.clear()
    } else {
      val passes = now.reached(window.end) && !clock.before.reached(window.end)
      if ((window ne before) || passes) windows.put(window)
      periods.add(window.paneState.isPastOnTime, window.paneState)
    }

  private def endStep(
      key: Key,
      before: Window,
      clock: StepClock,
      now: Watermark,
      out: Out[Effect[B, V]]): Window = {
    val begun     = before.paneState.begun(clock.processingTime)
    val completes = !begun.isPastOnTime && (before.isComplete(now) || isClosed(before, now))
    val paneState = if (completes) begun.copy(isPastOnTime = true) else begun
    val window    = if (paneState eq before.paneState) before else before.copy(paneState = paneState)
    val stage     = Stage(paneState.isPastOnTime, isClosed(window, now))
    if (window.panes.isEmpty) withdraw(key, window, out)
    else fire(
      key,
      window,
      rule.atStepEnd(stage, completes, paneState, clock.processingTime, paneState.isTouched),
      stage.isClosed,
      out)
  }

  /** Withdraws the last pane of a window without any remaining panes. */
  private def withdraw(key: Key, window: Window, out: Out[Effect[B, V]]): Window = {
    panes.withdraw(idOf(key, window), withShown(window), out)
    window.panes.show()
    window.copy(paneState = window.paneState.copy(unsent = 0, since = None, shown = None))
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walkAll.flatMap(key =>
    keys.get(key).all.filterNot(_.panes.isEmpty).map(one =>
      OpenWindow(key, one.bounds, one.paneState.isPastOnTime, withShown(one), one.panes.sum)))

  override def openCount(before: Option[Long]): Option[Long] =
    if (keys.size == 0) Some(0L) else before.map(_ + segments.grown)

  protected def parts: Seq[StatePart] = Seq(keys, periods, segments, incoming)
}
