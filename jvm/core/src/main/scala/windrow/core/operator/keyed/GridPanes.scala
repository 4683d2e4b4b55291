package windrow.core.operator
package keyed

import scala.jdk.CollectionConverters._
import windrow._
import windrow.core.aggregate.{Aggregation, Cell, RangeSweep}
import windrow.core.grid.SliceGrid
import windrow.core.state.Key
import windrow.core.time.{Axis, Front, Position, StepClock}
import windrow.core.trigger.{FiringRule, PaneState, ProcessingTimer, Stage, WindowTrigger}

/** Contents and panes of the windows of a key on a grid. Messages are stored by slice; windows are identified by their
  * starts.
  *
  * A window needs no record if it only fires its pane on time.
  */
private[core] final class GridPanes[A <: Axis, B, V](
    val grid: SliceGrid[A],
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    val policy: WindowTrigger,
    periods: ProcessingTimer) {
  private val rule  = new FiringRule(spec.onTime, policy)
  private val panes = new PaneMaker(spec, aggregation, withdraws = false)

  /** Whether windows have a record from their first message on, not only from their first late one. */
  val recordsAll: Boolean = spec.early != Never || !spec.onTime

  /** Whether values shown on time are stored in addition to the messages. For a window of a single slice, the slice is
    * the value.
    */
  private val recordsShown = panes.storesShown && grid.overlaps

  // ---- contents

  def insert(keyState: GridKeyState[A, B], position: Long, entry: Entry[B]): Unit = {
    val slice = grid.sliceStart(position)
    val index = keyState.run.indexAt(slice)
    if (index < 0) keyState.run.insert(cell(slice, entry.count, entry.buffer))
    else {
      val old = keyState.run(index)
      val now = aggregation.combine(old.buffer, entry.buffer)
      keyState.run.replace(index, cell(slice, old.count + entry.count, now), entry.buffer)
    }
    ()
  }

  private def cell(slice: Long, count: Long, buffer: B): Cell[B] =
    new Cell(slice, Cell.Nothing, stamp = 0, Cell.NotLate, at = None, count, buffer, Cell.Nothing)

  private def rangeOf(keyState: GridKeyState[A, B], start: Long): (Int, Int) =
    (keyState.run.indexOf(start), keyState.run.indexOf(grid.end(start)))

  def hasContent(keyState: GridKeyState[A, B], start: Long): Boolean = {
    val (from, until) = rangeOf(keyState, start)
    from < until
  }

  def value(keyState: GridKeyState[A, B], start: Long): B = {
    val (from, until) = rangeOf(keyState, start)
    keyState.run.value(from, until)
  }

  /** The values of windows with ascending starts, in one sweep. */
  def values(keyState: GridKeyState[A, B], starts: IndexedSeq[Long]): Iterator[B] =
    new RangeSweep(keyState.run, aggregation).apply(starts.map(rangeOf(keyState, _)))

  /** Windows with messages that end after a position, in order. */
  def withContent(keyState: GridKeyState[A, B], after: Front[A]): Iterator[Long] = {
    val first = if (after.isDefined) grid.firstStart(after.at) else Position.Least
    grid.windowsOver(first) { from =>
      val index = keyState.run.indexOf(from)
      Option.when(index < keyState.run.size)(keyState.run(index).position)
    }
  }

  /** Removes everything that belongs to no window from `start` on. */
  def dropBelow(keyState: GridKeyState[A, B], start: Long): Unit = {
    keyState.run.dropFirst(keyState.run.indexOf(start))
    keyState.records.headMap(start).clear()
    keyState.shown.dropBelow(start)
  }

  /** A window as queries see it. */
  def window(key: Key, keyState: GridKeyState[A, B], start: Long, isComplete: Boolean): OpenWindow[B] = {
    def paneState = Option(keyState.records.get(start))
      .getOrElse(if (isComplete && spec.onTime) firedOnTime(keyState, start) else PaneState[B]())
    OpenWindow(key, grid.bounds(start), isComplete, paneState, value(keyState, start))
  }

  // ---- panes

  /** The pane state of a window; None if it is new. Unless all windows have records, it must not be called for a window
    * that still waits for its pane on time.
    */
  def recordOf(keyState: GridKeyState[A, B], start: Long): Option[PaneState[B]] = {
    val kept = Option(keyState.records.get(start))
    if (kept.isDefined || recordsAll) kept
    else Option.when(hasContent(keyState, start))(firedOnTime(keyState, start))
  }

  private def firedOnTime(keyState: GridKeyState[A, B], start: Long): PaneState[B] =
    panes.firedOnTime(keyState.shown.at(start).getOrElse(value(keyState, start)))

  /** The pane state of a window without messages. */
  def recordOfGap(keyState: GridKeyState[A, B], start: Long): Option[PaneState[B]] =
    Option(keyState.records.get(start)).orElse(Option.when(spec.onTime)(panes.firedOnTime(aggregation.zero)))

  /** Completes a window without messages (SEMANTICS R3). */
  def gap(key: Key, start: Long, isLast: Boolean, out: Out[Effect[B, V]]): Unit =
    if (spec.onTime) out.put(panes.first(idOf(key, start), Timing.OnTime, isLast, aggregation.zero))

  /** Fires the late pane of a window without messages that is already complete when it starts to exist (SEMANTICS R3).
    */
  def lateGap(key: Key, keyState: GridKeyState[A, B], start: Long, isLast: Boolean, out: Out[Effect[B, V]]): Unit =
    if (spec.onTime) fire(key, keyState, start, PaneState(), Timing.Late, isLast, aggregation.zero, out)

  /** Updates a window for a message. A new window that is already complete fires at once (SEMANTICS R79).
    *
    * @param completes
    *   whether the message completes the window, which then fires no early pane (R21)
    */
  def update(
      key: Key,
      keyState: GridKeyState[A, B],
      start: Long,
      entry: Entry[B],
      record: Option[PaneState[B]],
      isComplete: Boolean,
      completes: Boolean,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val now = panes.add(record.getOrElse(PaneState()), entry, clock.processingTime)
    rule.withMessage(isComplete, isNew = record.isEmpty, completes, now.unsent) match {
      case Some(timing) => fire(key, keyState, start, now, timing, isLast = false, value(keyState, start), out)
      case None         => keep(keyState, start, now, isComplete)
    }
  }

  private def keep(keyState: GridKeyState[A, B], start: Long, record: PaneState[B], isComplete: Boolean): Unit = {
    periods.add(isComplete, record)
    keyState.records.put(start, record)
    ()
  }

  private def fire(
      key: Key,
      keyState: GridKeyState[A, B],
      start: Long,
      record: PaneState[B],
      timing: Timing,
      isLast: Boolean,
      whole: => B,
      out: Out[Effect[B, V]]): Unit = {
    keyState.records.put(start, panes.fire(idOf(key, start), record, timing, isLast, whole, out))
    ()
  }

  private def idOf(key: Key, start: Long): WindowId = WindowId(key, grid.bounds(start))

  /** Fires the pane of a window that completes. */
  def onTime(
      key: Key,
      keyState: GridKeyState[A, B],
      start: Long,
      value: => B,
      isLast: Boolean,
      out: Out[Effect[B, V]]): Unit =
    if (!spec.onTime) periods.add(isComplete = true, keyState.records.get(start))
    else if (recordsAll) fire(key, keyState, start, keyState.records.get(start), Timing.OnTime, isLast, value, out)
    else {
      val shown = value
      if (recordsShown && !isLast) keyState.shown.put(start, shown)
      out.put(panes.first(idOf(key, start), Timing.OnTime, isLast, shown))
    }

  /** Fires panes at the end of the step, except those of windows that complete in it. */
  def endStep(
      key: Key,
      keyState: GridKeyState[A, B],
      stage: Long => Stage,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val ended = keyState.records.asScala.toVector.map { case (start, record) =>
      val begun = record.begun(clock.processingTime)
      (start, begun, rule.atStepEnd(stage(start), completes = false, begun, clock.processingTime, isTouched = true))
    }
    for ((start, record, None) <- ended if record.unsent > 0) keep(keyState, start, record, stage(start).isComplete)
    val due   = ended.collect { case (start, record, Some(timing)) => (start, record, timing) }
    val whole = values(keyState, due.map(_._1))
    due.foreach { case (start, record, timing) =>
      fire(key, keyState, start, record, timing, stage(start).isClosed, whole.next(), out)
    }
  }
}
