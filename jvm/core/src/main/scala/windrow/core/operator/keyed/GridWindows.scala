package windrow.core.operator
package keyed

import windrow.core.state.Key
import windrow.core.time.{Axis, Distance, Due, Front, Position, StepClock}
import windrow.core.trigger.Stage

/** Decides when the windows of one key on a grid are complete and when they close. */
private[core] trait GridWindows[A <: Axis, B, V] {

  /** Applies an accepted message.
    *
    * @param before
    *   watermark at the end of the previous step
    * @param at
    *   watermark including this message
    */
  def add(
      key: Key,
      keyState: GridKeyState[A, B],
      position: Position[A],
      entry: Entry[B],
      before: Front[A],
      at: Front[A],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit

  /** Ends a step.
    *
    * @param coming
    *   watermark at the moment when it reached a position
    */
  def endStep(
      key: Key,
      keyState: GridKeyState[A, B],
      before: Front[A],
      now: Front[A],
      coming: Long => Front[A],
      clock: StepClock): Iterator[Part[Effect[B, V]]]

  /** The existing windows. */
  def open(keyState: GridKeyState[A, B], at: Front[A]): Iterator[Long]

  def isComplete(keyState: GridKeyState[A, B], start: Long, at: Front[A]): Boolean
}

/** Windows that are complete when the watermark has reached their end.
  *
  * @param lateness
  *   how long a complete window still accepts messages
  */
private[core] final class PassedWindows[A <: Axis, B, V](panes: GridPanes[A, B, V], lateness: Distance[A])
    extends GridWindows[A, B, V] {
  import panes.grid

  private def isClosed(start: Long, at: Front[A]): Boolean = at.reached(grid.end(start), lateness)

  def add(
      key: Key,
      keyState: GridKeyState[A, B],
      position: Position[A],
      entry: Entry[B],
      before: Front[A],
      at: Front[A],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val open = grid.windowsAt(position.value)
      .takeWhile(start => panes.recordsAll || before.reached(grid.end(start)))
      .filterNot(isClosed(_, before))
      .map(start => (start, panes.recordOf(keyState, start))).toList // mostly empty
    panes.insert(keyState, position.value, entry)
    open.foreach { case (start, record) =>
      val isComplete = before.reached(grid.end(start))
      val completes  = !isComplete && at.reached(grid.end(start))
      panes.update(key, keyState, start, entry, record, isComplete, completes, clock, out)
    }
  }

  def endStep(
      key: Key,
      keyState: GridKeyState[A, B],
      before: Front[A],
      now: Front[A],
      coming: Long => Front[A],
      clock: StepClock): Iterator[Part[Effect[B, V]]] =
    (if (now != before) onTimePanes(key, keyState, before, now, coming) else Iterator.empty) ++
      Iterator.single[Part[Effect[B, V]]](panes.endStep(key, keyState, stage(_, now), clock, _)) ++
      Part.silent(leave(keyState, now))

  private def stage(start: Long, now: Front[A]): Stage = Stage(now.reached(grid.end(start)), isClosed(start, now))

  private def onTimePanes(
      key: Key,
      keyState: GridKeyState[A, B],
      before: Front[A],
      now: Front[A],
      coming: Long => Front[A]): Iterator[Part[Effect[B, V]]] = {
    val starts = panes.withContent(keyState, before).takeWhile(start => now.reached(grid.end(start))).toVector
    starts.iterator.zip(panes.values(keyState, starts)).map[Part[Effect[B, V]]] { case (start, value) =>
      panes.onTime(key, keyState, start, value, isClosed(start, coming(grid.end(start))), _)
    }
  }

  private def leave(keyState: GridKeyState[A, B], now: Front[A]): Unit = {
    if (now.isEnd) keyState.clear()
    else if (closedUpTo(now).isDefined) panes.dropBelow(keyState, grid.firstStart(closedUpTo(now).at))
    keyState.deadline = nextDeadline(keyState, now)
  }

  private def nextDeadline(keyState: GridKeyState[A, B], now: Front[A]): Long = {
    val completes = panes.withContent(keyState, now).map(grid.end).nextOption()
    val closes =
      panes.withContent(keyState, Front.none).map(start => lateness.after(grid.end(start))).nextOption()
    (completes ++ closes).minOption.getOrElse(Due.Never)
  }

  /** The end up to which all windows are closed. */
  private def closedUpTo(at: Front[A]): Front[A] = Front(at.leaves(lateness))

  def open(keyState: GridKeyState[A, B], at: Front[A]): Iterator[Long] = panes.withContent(keyState, closedUpTo(at))

  def isComplete(keyState: GridKeyState[A, B], start: Long, at: Front[A]): Boolean = at.reached(grid.end(start))
}
