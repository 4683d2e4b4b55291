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
      keyState: GridKeyState[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      at: Watermark,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit

  /** @param coming
    *   the watermark as it came to a position
    */
  def endStep(
      key: Key,
      keyState: GridKeyState[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Part[Effect[B, V]]]

  /** The existing windows. */
  def open(keyState: GridKeyState[B], at: Watermark): Iterator[Long]

  def isComplete(keyState: GridKeyState[B], start: Long, at: Watermark): Boolean

  /** The existing window with the greatest start. */
  def current(keyState: GridKeyState[B], at: Watermark): Option[Long]
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
      keyState: GridKeyState[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      at: Watermark,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val open = grid.windowsAt(position, Long.MinValue)
      .takeWhile(start => panes.recordsAll || before.reached(grid.end(start)))
      .filterNot(isClosed(_, before))
      .map(start => (start, panes.recordOf(keyState, start))).toVector
    panes.insert(keyState, position, entry)
    open.foreach { case (start, record) =>
      val isComplete = before.reached(grid.end(start))
      val completes  = !isComplete && Watermark(position + 1).reached(grid.end(start))
      panes.update(key, keyState, start, entry, record, isComplete, completes, clock, out)
    }
  }

  def endStep(
      key: Key,
      keyState: GridKeyState[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Part[Effect[B, V]]] =
    (if (now != before) onTimePanes(key, keyState, before, now, coming) else Iterator.empty) ++
      Iterator.single[Part[Effect[B, V]]](panes.endStep(key, keyState, stage(_, now), clock, _)) ++
      Part.silent(leave(keyState, now))

  private def stage(start: Long, now: Watermark): Stage = Stage(now.reached(grid.end(start)), isClosed(start, now))

  private def onTimePanes(
      key: Key,
      keyState: GridKeyState[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark): Iterator[Part[Effect[B, V]]] = {
    val starts = panes.withContent(keyState, before).takeWhile(start => now.reached(grid.end(start))).toVector
    starts.iterator.zip(panes.values(keyState, starts)).map[Part[Effect[B, V]]] { case (start, value) =>
      panes.onTime(key, keyState, start, value, isClosed(start, coming(grid.end(start))), _)
    }
  }

  private def leave(keyState: GridKeyState[B], now: Watermark): Unit = {
    if (now.isEnd) keyState.clear()
    else if (closedUpTo(now).isDefined) panes.dropBelow(keyState, grid.firstStart(closedUpTo(now).micros))
    keyState.deadline = nextDeadline(keyState, now)
  }

  private def nextDeadline(keyState: GridKeyState[B], now: Watermark): Long = {
    val completes = panes.withContent(keyState, now).map(grid.end).nextOption()
    val closes =
      panes.withContent(keyState, Watermark.None).map(start => EventTime.plus(grid.end(start), lateness)).nextOption()
    (completes ++ closes).minOption.getOrElse(Long.MaxValue)
  }

  /** No window that ends there or before is open. */
  private def closedUpTo(at: Watermark): Watermark = Watermark(at.leaves(lateness))

  def open(keyState: GridKeyState[B], at: Watermark): Iterator[Long] = panes.withContent(keyState, closedUpTo(at))

  def isComplete(keyState: GridKeyState[B], start: Long, at: Watermark): Boolean = at.reached(grid.end(start))

  def current(keyState: GridKeyState[B], at: Watermark): Option[Long] =
    panes.newest(keyState).filterNot(isClosed(_, at))
}
