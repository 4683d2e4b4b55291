package windrow.core.operator

import scala.jdk.CollectionConverters._
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.RangeSweep
import windrow.core.state.Cell
import windrow.core.state.Key
import windrow.core.window.PositionGrid

/** Windows of every few positions of one key, on messages kept by slice. A watermark is the position that comes next.
  *
  * A window that fires nothing but its pane on time has no record.
  *
  * @param lateness
  *   in positions
  */
private[operator] final class GridWindows[B, V](
    grid: PositionGrid,
    lateness: Long,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    val policy: FiringPolicy,
    val periods: Deadline) {
  private val panes = new PaneMaker(spec, aggregation, withdraws = false)

  /** Windows have a record from their first message on, not only from their first late one. */
  private val recordsAll = spec.early != Never || !spec.onTime

  /** A message that was accepted.
    *
    * @param before
    *   how far the positions had come when the step began
    */
  def add(
      key: Key,
      lane: GridLane[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      clock: StepClock): Iterator[Effect[B, V]] = {
    val open = grid.windowsAt(position)
      .filter(first => recordsAll || before.reached(grid.end(first)))
      .filterNot(first => before.reached(grid.end(first), lateness))
      .map(first => (first, recordOf(lane, first))).toVector
    insert(lane, position, entry)
    open.iterator.flatMap { case (first, record) => update(key, lane, first, position, entry, record, before, clock) }
  }

  /** None: the window is new. */
  private def recordOf(lane: GridLane[B], first: Long): Option[Firing[B]] = {
    val kept          = Option(lane.records.get(first))
    val (from, until) = rangeOf(lane, first)
    if (kept.isDefined || recordsAll) kept
    else Option.when(from < until)(panes.firedOnTime(lane.run.value(from, until)))
  }

  private def rangeOf(lane: GridLane[B], first: Long): (Int, Int) =
    (lane.run.indexOf(first), lane.run.indexOf(grid.end(first)))

  private def insert(lane: GridLane[B], position: Long, entry: Entry[B]): Unit = {
    val slice = grid.sliceStart(position)
    val index = lane.run.indexAt(slice)
    if (index < 0) lane.run.insert(cell(slice, entry.count, entry.buffer))
    else {
      val old = lane.run(index)
      val now = aggregation.combine(old.buffer, entry.buffer)
      lane.run.replace(index, cell(slice, old.count + entry.count, now), entry.buffer)
    }
    ()
  }

  private def cell(slice: Long, count: Long, buffer: B): Cell[B] =
    new Cell(slice, Cell.Nothing, stamp = 0, Cell.NotLate, at = None, count, buffer, Cell.Nothing)

  /** The message that completes its window fires no early pane (SEMANTICS R21); one for a new window that is complete
    * fires at once (R79).
    */
  private def update(
      key: Key,
      lane: GridLane[B],
      first: Long,
      position: Long,
      entry: Entry[B],
      record: Option[Firing[B]],
      before: Watermark,
      clock: StepClock): Iterator[Effect[B, V]] = {
    val isComplete = before.reached(grid.end(first))
    val completes  = !isComplete && Watermark(position + 1).reached(grid.end(first))
    val now        = panes.add(record.getOrElse(Firing()), entry, clock.processingTime)
    val isFirst    = isComplete && record.isEmpty && spec.onTime && !policy.waitsForStepEnd(isComplete)
    if (!completes && (isFirst || policy.afterMessage(isComplete, now.unsent)))
      fire(key, lane, first, now, if (isComplete) Timing.Late else Timing.Early, isLast = false)
    else {
      keep(lane, first, now, isComplete)
      Iterator.empty
    }
  }

  private def keep(lane: GridLane[B], first: Long, record: Firing[B], isComplete: Boolean): Unit = {
    periods.add(isComplete, record)
    lane.records.put(first, record)
    ()
  }

  private def fire(
      key: Key,
      lane: GridLane[B],
      first: Long,
      record: Firing[B],
      timing: Timing,
      isLast: Boolean): Iterator[Effect[B, V]] = {
    val (from, until) = rangeOf(lane, first)
    val (fired, kept) = panes.fire(idOf(key, first), record, timing, isLast, lane.run.value(from, until))
    lane.records.put(first, kept)
    fired
  }

  private def idOf(key: Key, first: Long): WindowId = WindowId(key, first, grid.end(first) - 1)

  // ---- the end of a step

  /** @param coming
    *   how far the positions had come as they came to one
    */
  def endStep(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Effect[B, V]] =
    (if (now != before && spec.onTime) onTimePanes(key, lane, before, now, coming) else Iterator.empty) ++
      waitingPanes(key, lane, now, clock) ++
      lastPanes(key, lane, now) ++
      leave(lane, now)

  private def onTimePanes(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark): Iterator[Effect[B, V]] = Iterator.single(()).flatMap { _ =>
    val starts = withContent(lane, before).takeWhile(first => now.reached(grid.end(first))).toVector
    val values = new RangeSweep(lane.run, aggregation).apply(starts.map(rangeOf(lane, _)))
    starts.iterator.zip(values).flatMap { case (first, value) =>
      val isLast = coming(grid.end(first)).reached(grid.end(first), lateness)
      if (recordsAll) fire(key, lane, first, lane.records.get(first), Timing.OnTime, isLast)
      else Iterator.single(panes.first(idOf(key, first), Timing.OnTime, isLast, value))
    }
  }

  /** Windows with messages that end after a position, in order. */
  private def withContent(lane: GridLane[B], after: Watermark): Iterator[Long] = {
    def next(from: Long): Option[Long] = {
      val index = lane.run.indexOf(from)
      Option.when(index < lane.run.size)(math.max(from, grid.firstAt(lane.run(index).position)))
    }
    val first = if (after.isDefined) grid.firstAt(after.micros) else Long.MinValue
    Iterator.unfold(first)(from => next(from).map(found => (found, grid.next(found))))
  }

  private def waitingPanes(key: Key, lane: GridLane[B], now: Watermark, clock: StepClock): Iterator[Effect[B, V]] =
    records(lane).flatMap { case (first, record) =>
      val isComplete = now.reached(grid.end(first))
      val begun      = record.begun(clock.processingTime)
      if (policy.atStepEnd(isComplete, begun.unsent, begun.since, clock.processingTime)) {
        val isLast = now.reached(grid.end(first), lateness)
        fire(key, lane, first, begun, if (isComplete) Timing.Late else Timing.Early, isLast)
      } else {
        if (begun.unsent > 0) keep(lane, first, begun, isComplete)
        Iterator.empty
      }
    }

  /** What is still unsent when a window's lateness ends (SEMANTICS R80). */
  private def lastPanes(key: Key, lane: GridLane[B], now: Watermark): Iterator[Effect[B, V]] =
    records(lane).takeWhile { case (first, _) => now.reached(grid.end(first), lateness) }
      .filter { case (_, record) => record.unsent > 0 }
      .flatMap { case (first, record) => fire(key, lane, first, record, Timing.Late, isLast = true) }

  private def records(lane: GridLane[B]): Iterator[(Long, Firing[B])] =
    Iterator.single(()).flatMap(_ => lane.records.asScala.toVector)

  private def leave(lane: GridLane[B], now: Watermark): Iterator[Effect[B, V]] = {
    if (now == Watermark.End) {
      lane.run.clear()
      lane.records.clear()
    } else if (now.isDefined) {
      val open = grid.firstAt(now.micros - lateness)
      lane.run.dropFirst(lane.run.indexOf(open))
      lane.records.headMap(open).clear()
    }
    lane.deadline = nextDeadline(lane, now)
    Iterator.empty
  }

  private def nextDeadline(lane: GridLane[B], now: Watermark): Long = {
    val completes = withContent(lane, now).map(grid.end).nextOption()
    val closes    = withContent(lane, Watermark.None).map(first => grid.end(first) + lateness).nextOption()
    (completes ++ closes).minOption.getOrElse(Long.MaxValue)
  }

  /** The existing window with the greatest start. */
  def current(lane: GridLane[B], at: Watermark): Option[Long] =
    Option.unless(lane.run.isEmpty)(grid.lastAt(lane.run(lane.run.size - 1).position))
      .filterNot(first => at.reached(grid.end(first), lateness))

  def end(first: Long): Long = grid.end(first)
}
