package windrow.core.operator
package keyed

import windrow.core.aggregate.StartOffsets
import windrow.core.operator.gaps.{EndedGaps, GapWindows}
import windrow.core.state.Key
import windrow.core.time.{Axis, Distance, Due, Front, Position, StepClock, Watermark}
import windrow.core.trigger.{PaneState, Stage}

/** The state of a window before a message that belongs to it is applied.
  *
  * @param isBehind
  *   the key has messages at or after its end
  * @param record
  *   its pane state, if one is stored
  */
private final case class ReachedWindow[B](
    start: Long,
    isBehind: Boolean,
    isNew: Boolean,
    wasComplete: Boolean,
    record: Option[PaneState[B]])

/** Windows that are complete when their key has accepted a message past their end (SEMANTICS R7), or when they close.
  *
  * @param lateness
  *   time after which the watermark closes a window, complete or not
  * @param closesComplete
  *   whether a complete window accepts no more messages
  * @param startsOf
  *   offsets at which the messages of a buffer start
  * @param gaps
  *   windows without messages
  */
private[core] final class NextRowWindows[A <: Axis, B, V](
    panes: GridPanes[A, B, V],
    lateness: Distance[A],
    closesComplete: Boolean,
    startsOf: B => StartOffsets,
    gaps: Option[GapWindows] = None) extends GridWindows[A, B, V] {
  import panes.grid

  private def isClosed(start: Long, at: Front[A]): Boolean = at.reached(grid.end(start), lateness)

  private def isComplete(keyState: GridKeyState[A, B], start: Long): Boolean =
    keyState.completion.isComplete(grid.end(start), start)

  def add(
      key: Key,
      keyState: GridKeyState[A, B],
      position: Position[A],
      entry: Entry[B],
      before: Front[A],
      at: Front[A],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val reached = keyState.completion.reached
    val windows = grid.windowsAt(position.value, openFrom(before))
      .takeWhile(start => panes.recordsAll || reached.reached(grid.end(start)))
      .map(find(key, keyState, _, reached, before)).toVector
    panes.insert(keyState, position.value, entry)
    windows.foreach(update(key, keyState, _, entry, clock, out))
    keyState.completion.add(position.value, entry.origin)
    out.andThen(
      completed(key, keyState, openAfter(reached, before), position.value, at) ++ emptyOnes(key, keyState, before))
  }

  private def find(
      key: Key,
      keyState: GridKeyState[A, B],
      start: Long,
      reached: Front[A],
      before: Front[A]): ReachedWindow[B] = {
    val isBehind    = reached.reached(grid.end(start))
    val isEmpty     = !panes.hasContent(keyState, start)
    val isGap       = isEmpty && gaps.exists(_.isFilled(key, start, Watermark(before.at, before.left)))
    val isNew       = isEmpty && !isGap
    val wasComplete = isBehind && !isNew && isComplete(keyState, start)
    val record =
      if (isGap && wasComplete) panes.recordOfGap(keyState, start)
      else if (panes.recordsAll || wasComplete) panes.recordOf(keyState, start)
      else None
    ReachedWindow(start, isBehind, isNew, wasComplete, record)
  }

  private def update(
      key: Key,
      keyState: GridKeyState[A, B],
      window: ReachedWindow[B],
      entry: Entry[B],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    import window.start
    val end        = grid.end(start)
    val isPassed   = window.isBehind && !window.wasComplete && isPassedBefore(keyState, start)
    val isComplete = window.wasComplete || (window.isNew && isPassed)
    if (window.isBehind && window.isNew && !isPassed) keyState.completion.await(end, start)
    if (panes.recordsAll || isComplete)
      panes.update(
        key,
        keyState,
        start,
        entry,
        window.record,
        isComplete,
        completes = isPassed && !isComplete,
        clock,
        out)
  }

  private def isPassedBefore(keyState: GridKeyState[A, B], start: Long): Boolean =
    keyState.completion.isPassed(grid.end(start), startsOf(panes.value(keyState, start)))

  /** Completes windows that a message has passed: those that end at or before it, and waiting windows whose least
    * offset is now below that of a message past their end.
    */
  private def completed(
      key: Key,
      keyState: GridKeyState[A, B],
      after: Front[A],
      position: Long,
      at: Front[A]): Iterator[Part[Effect[B, V]]] = {
    val passed = panes.withContent(keyState, after).takeWhile(start => grid.end(start) <= position).toVector
    val again  = keyState.completion.waitingIds.filter(_ <= position)
    val starts = (again ++ passed).toVector
    starts.iterator.zip(panes.values(keyState, starts)).map[Part[Effect[B, V]]] { case (start, value) =>
      out =>
        val end = grid.end(start)
        if (keyState.completion.isPassed(end, startsOf(value))) {
          keyState.completion.complete(end, start)
          panes.onTime(key, keyState, start, value, isLast = closesComplete || isClosed(start, at), out)
        } else keyState.completion.await(end, start)
    }
  }

  /** Ends a step for windows without messages. Those that had ended before the step and are complete fire late. */
  def endGaps(key: Key, keyState: GridKeyState[A, B], ended: EndedGaps, now: Front[A]): Iterator[Part[Effect[B, V]]] = {
    val (late, incomplete) = ended.late.flatMap { case (from, to) => grid.between(from, to) }
      .partition(isComplete(keyState, _))
    for (gaps <- gaps; (from, to) <- incomplete.map(start => (start, start)) ++ ended.onTime) gaps.await(key, from, to)
    Part.each(late.iterator)((start: Long, out: Out[Effect[B, V]]) =>
      panes.lateGap(key, keyState, start, isClosed(start, now), out)) ++ emptyOnes(key, keyState, now)
  }

  /** Fires windows without messages that messages have passed or that close. */
  def emptyOnes(key: Key, keyState: GridKeyState[A, B], now: Front[A]): Iterator[Part[Effect[B, V]]] =
    gaps.iterator.flatMap(_.take(key)(start => isComplete(keyState, start) || isClosed(start, now))(start =>
      panes.gap(key, start, isClosed(start, now), _)))

  def endStep(
      key: Key,
      keyState: GridKeyState[A, B],
      before: Front[A],
      now: Front[A],
      coming: Long => Front[A],
      clock: StepClock): Iterator[Part[Effect[B, V]]] = {
    def isOver(start: Long) = isClosed(start, now) || (closesComplete && isComplete(keyState, start))
    closed(key, keyState, before, now) ++
      Iterator.single[Part[Effect[B, V]]](
        panes.endStep(key, keyState, start => Stage(isComplete(keyState, start), isOver(start)), clock, _)) ++
      Part.silent(leave(keyState, now))
  }

  /** Fires windows that close before they are complete. */
  private def closed(
      key: Key,
      keyState: GridKeyState[A, B],
      before: Front[A],
      now: Front[A]): Iterator[Part[Effect[B, V]]] = {
    val open =
      keyState.completion.waitingIds ++ panes.withContent(keyState, openAfter(keyState.completion.reached, before))
    val starts = open.takeWhile(isClosed(_, now)).toVector
    starts.iterator.zip(panes.values(keyState, starts)).map[Part[Effect[B, V]]] { case (start, value) =>
      panes.onTime(key, keyState, start, value, isLast = true, _)
    }
  }

  private def leave(keyState: GridKeyState[A, B], now: Front[A]): Unit = {
    if (now.isEnd) keyState.clear()
    else if (closesComplete && keyState.completion.reached.isDefined) {
      val reached = keyState.completion.reached.at
      val oldest  = keyState.completion.waitingIds.nextOption()
      panes.dropBelow(keyState, oldest.getOrElse(grid.firstStart(reached)))
      keyState.completion.forget(oldest.fold(reached)(grid.end(_) - 1))
    } else closedUpTo(now).foreach { end =>
      panes.dropBelow(keyState, grid.firstStart(end))
      keyState.completion.close(end)
    }
    keyState.deadline = nextDeadline(keyState)
  }

  private def nextDeadline(keyState: GridKeyState[A, B]): Long =
    if (closesComplete) Due.Never
    else {
      val oldest = panes.withContent(keyState, Front.none).map(grid.end).nextOption()
      lateness.after(oldest.getOrElse(keyState.completion.reached.at))
    }

  /** The end up to which all windows are closed. */
  private def closedUpTo(at: Front[A]): Option[Long] =
    Option(at.leaves(lateness)).filter(_ != Position.Least)

  /** The end after which windows are open and not passed by a message. */
  private def openAfter(reached: Front[A], before: Front[A]): Front[A] =
    closedUpTo(before).fold(reached)(end => reached.max(Front(end)))

  private def openFrom(at: Front[A]): Long = closedUpTo(at).fold(Position.Least)(grid.firstStart)

  def open(keyState: GridKeyState[A, B], at: Front[A]): Iterator[Long] =
    if (closesComplete) keyState.completion.waitingIds ++ panes.withContent(keyState, keyState.completion.reached)
    else panes.withContent(keyState, closedUpTo(at).fold(Front.none[A])(Front(_)))

  def isComplete(keyState: GridKeyState[A, B], start: Long, at: Front[A]): Boolean =
    isComplete(keyState, start) || isClosed(start, at)
}
