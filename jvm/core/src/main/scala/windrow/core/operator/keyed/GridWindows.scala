package windrow.core.operator
package keyed

import windrow.core.state.Key
import windrow.core.time.EventTime
import windrow.core.time.StepClock
import windrow.core.time.Watermark
import windrow.core.trigger.Stage

/** When the windows of one key on a grid are complete, and when they close. A watermark on the axis of offsets or of
  * sequence numbers is the position that comes next.
  */
private[core] trait GridWindows[B, V] {

  /** A message that was accepted.
    *
    * @param before
    *   the watermark at the end of the step before
    * @param at
    *   the watermark with this message
    */
  def add(
      key: Key,
      lane: GridLane[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      at: Watermark,
      clock: StepClock): Iterator[Effect[B, V]]

  /** @param coming
    *   the watermark as it came to a position
    */
  def endStep(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Effect[B, V]]

  /** The existing windows. */
  def open(lane: GridLane[B], at: Watermark): Iterator[Long]

  def isComplete(lane: GridLane[B], start: Long, at: Watermark): Boolean

  /** The existing window with the greatest start. */
  def current(lane: GridLane[B], at: Watermark): Option[Long]
}

/** Windows that are complete when the watermark has reached their end.
  *
  * @param lateness
  *   in positions
  */
private[core] final class PassedWindows[B, V](panes: GridPanes[B, V], lateness: Long) extends GridWindows[B, V] {
  import panes.grid

  private def isClosed(start: Long, at: Watermark): Boolean = at.reached(grid.end(start), lateness)

  def add(
      key: Key,
      lane: GridLane[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      at: Watermark,
      clock: StepClock): Iterator[Effect[B, V]] = {
    val open = grid.windowsAt(position, Long.MinValue)
      .takeWhile(start => panes.recordsAll || before.reached(grid.end(start)))
      .filterNot(isClosed(_, before))
      .map(start => (start, panes.recordOf(lane, start))).toVector
    panes.insert(lane, position, entry)
    open.iterator.flatMap { case (start, record) =>
      val isComplete = before.reached(grid.end(start))
      val completes  = !isComplete && Watermark(position + 1).reached(grid.end(start))
      panes.update(key, lane, start, entry, record, isComplete, completes, clock)
    }
  }

  def endStep(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Effect[B, V]] =
    (if (now != before) onTimePanes(key, lane, before, now, coming) else Iterator.empty) ++
      panes.endStep(key, lane, start => Stage(now.reached(grid.end(start)), isClosed(start, now)), clock) ++
      leave(lane, now)

  private def onTimePanes(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark): Iterator[Effect[B, V]] = Iterator.single(()).flatMap { _ =>
    val starts = panes.withContent(lane, before).takeWhile(start => now.reached(grid.end(start))).toVector
    starts.iterator.zip(panes.values(lane, starts)).flatMap { case (start, value) =>
      panes.onTime(key, lane, start, value, isClosed(start, coming(grid.end(start))))
    }
  }

  private def leave(lane: GridLane[B], now: Watermark): Iterator[Effect[B, V]] = {
    if (now.isEnd) lane.clear()
    else if (closedUpTo(now).isDefined) panes.dropBelow(lane, grid.firstStart(closedUpTo(now).micros))
    lane.deadline = nextDeadline(lane, now)
    Iterator.empty
  }

  private def nextDeadline(lane: GridLane[B], now: Watermark): Long = {
    val completes = panes.withContent(lane, now).map(grid.end).nextOption()
    val closes =
      panes.withContent(lane, Watermark.None).map(start => EventTime.plus(grid.end(start), lateness)).nextOption()
    (completes ++ closes).minOption.getOrElse(Long.MaxValue)
  }

  /** No window that ends there or before is open. */
  private def closedUpTo(at: Watermark): Watermark = Watermark(at.leaves(lateness))

  def open(lane: GridLane[B], at: Watermark): Iterator[Long] = panes.withContent(lane, closedUpTo(at))

  def isComplete(lane: GridLane[B], start: Long, at: Watermark): Boolean = at.reached(grid.end(start))

  def current(lane: GridLane[B], at: Watermark): Option[Long] = panes.newest(lane).filterNot(isClosed(_, at))
}
