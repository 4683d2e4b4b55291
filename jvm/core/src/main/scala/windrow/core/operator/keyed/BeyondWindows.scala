package windrow.core.operator
package keyed

import windrow.core.aggregate.StartOffsets
import windrow.core.operator.gaps.GapWindows
import windrow.core.state.Key
import windrow.core.time.EventTime
import windrow.core.time.StepClock
import windrow.core.time.Watermark
import windrow.core.trigger.Stage
import windrow.core.trigger.Firing

/** A window that a message reaches, as it was before.
  *
  * @param isBehind
  *   messages have come past its end
  * @param record
  *   what it keeps of its panes, if it has a record
  */
private final case class ReachedWindow[B](
    start: Long,
    isBehind: Boolean,
    isNew: Boolean,
    wasComplete: Boolean,
    record: Option[Firing[B]])

/** Windows that are complete when their key has accepted a message past their end (SEMANTICS R7), or when they close.
  *
  * @param lateness
  *   after which the watermark closes a window, complete or not
  * @param closesComplete
  *   a window that is complete takes nothing any more
  * @param startsOf
  *   where the messages of a buffer start
  * @param gaps
  *   windows without messages that came to be
  */
private[core] final class BeyondWindows[B, V](
    panes: GridPanes[B, V],
    lateness: Long,
    closesComplete: Boolean,
    startsOf: B => StartOffsets,
    gaps: Option[GapWindows] = None) extends GridWindows[B, V] {
  import panes.grid

  private def isClosed(start: Long, at: Watermark): Boolean = at.reached(grid.end(start), lateness)

  private def isComplete(lane: GridLane[B], start: Long): Boolean = lane.completion.isComplete(grid.end(start), start)

  def add(
      key: Key,
      lane: GridLane[B],
      position: Long,
      entry: Entry[B],
      before: Watermark,
      at: Watermark,
      clock: StepClock): Iterator[Effect[B, V]] = {
    val reached = lane.completion.reached
    val windows = grid.windowsAt(position, openFrom(before))
      .takeWhile(start => panes.recordsAll || reached.reached(grid.end(start)))
      .map(find(key, lane, _, reached)).toVector
    panes.insert(lane, position, entry)
    windows.iterator.flatMap(update(key, lane, _, entry, clock)) ++ {
      lane.completion.add(position, entry.origin)
      completed(key, lane, openAfter(reached, before), position, at) ++ emptyOnes(key, lane, before)
    }
  }

  private def find(key: Key, lane: GridLane[B], start: Long, reached: Watermark): ReachedWindow[B] = {
    val isBehind    = reached.reached(grid.end(start))
    val isEmpty     = !panes.hasContent(lane, start)
    val isGap       = isEmpty && gaps.exists(_.isFilled(key, start))
    val isNew       = isEmpty && !isGap
    val wasComplete = isBehind && !isNew && isComplete(lane, start)
    val record =
      if (isGap && wasComplete) panes.recordOfGap
      else if (panes.recordsAll || wasComplete) panes.recordOf(lane, start)
      else None
    ReachedWindow(start, isBehind, isNew, wasComplete, record)
  }

  private def update(
      key: Key,
      lane: GridLane[B],
      window: ReachedWindow[B],
      entry: Entry[B],
      clock: StepClock): Iterator[Effect[B, V]] = {
    import window.start
    val end        = grid.end(start)
    val isPassed   = window.isBehind && !window.wasComplete && isPassedBefore(lane, start)
    val isComplete = window.wasComplete || (window.isNew && isPassed)
    if (window.isBehind && window.isNew && !isPassed) lane.completion.await(end, start)
    if (panes.recordsAll || isComplete)
      panes.update(key, lane, start, entry, window.record, isComplete, completes = isPassed && !isComplete, clock)
    else Iterator.empty
  }

  private def isPassedBefore(lane: GridLane[B], start: Long): Boolean =
    lane.completion.isPassed(grid.end(start), startsOf(panes.value(lane, start)))

  /** Windows that a message completes: it comes past their ends, or they start before another now that did. */
  private def completed(
      key: Key,
      lane: GridLane[B],
      after: Watermark,
      position: Long,
      at: Watermark): Iterator[Effect[B, V]] = {
    val passed = panes.withContent(lane, after).takeWhile(start => grid.end(start) <= position).toVector
    val again  = lane.completion.waitingIds.filter(_ <= position)
    val starts = (again ++ passed).toVector
    starts.iterator.zip(panes.values(lane, starts)).flatMap { case (start, value) =>
      val end = grid.end(start)
      if (lane.completion.isPassed(end, startsOf(value))) {
        lane.completion.complete(end, start)
        panes.onTime(key, lane, start, value, isLast = closesComplete || isClosed(start, at))
      } else {
        lane.completion.await(end, start)
        Iterator.empty
      }
    }
  }

  /** Windows without messages fire as messages come past them, or as they close. */
  def emptyOnes(key: Key, lane: GridLane[B], now: Watermark): Iterator[Effect[B, V]] =
    gaps.iterator.flatMap(_.take(key)(start => isComplete(lane, start) || isClosed(start, now)))
      .flatMap(start => panes.gap(key, start, isClosed(start, now)))

  def endStep(
      key: Key,
      lane: GridLane[B],
      before: Watermark,
      now: Watermark,
      coming: Long => Watermark,
      clock: StepClock): Iterator[Effect[B, V]] = {
    def isOver(start: Long) = isClosed(start, now) || (closesComplete && isComplete(lane, start))
    closed(key, lane, before, now) ++
      panes.endStep(key, lane, start => Stage(isComplete(lane, start), isOver(start)), clock) ++
      leave(lane, now)
  }

  /** Windows that close before they were complete. */
  private def closed(key: Key, lane: GridLane[B], before: Watermark, now: Watermark): Iterator[Effect[B, V]] = {
    val open   = lane.completion.waitingIds ++ panes.withContent(lane, openAfter(lane.completion.reached, before))
    val starts = open.takeWhile(isClosed(_, now)).toVector
    starts.iterator.zip(panes.values(lane, starts)).flatMap { case (start, value) =>
      panes.onTime(key, lane, start, value, isLast = true)
    }
  }

  private def leave(lane: GridLane[B], now: Watermark): Iterator[Effect[B, V]] = {
    if (now.isEnd) lane.clear()
    else if (closesComplete && lane.completion.reached.isDefined) {
      val reached = lane.completion.reached.micros
      val oldest  = lane.completion.waitingIds.nextOption()
      panes.dropBelow(lane, oldest.getOrElse(grid.firstStart(reached)))
      lane.completion.forget(oldest.fold(reached)(grid.end(_) - 1))
    } else closedUpTo(now).foreach { end =>
      panes.dropBelow(lane, grid.firstStart(end))
      lane.completion.close(end)
    }
    lane.deadline = nextDeadline(lane)
    Iterator.empty
  }

  private def nextDeadline(lane: GridLane[B]): Long =
    if (closesComplete) Long.MaxValue
    else {
      val oldest = panes.withContent(lane, Watermark.None).map(grid.end).nextOption()
      EventTime.plus(oldest.getOrElse(lane.completion.reached.micros), lateness)
    }

  /** No window that ends there or before is open. */
  private def closedUpTo(at: Watermark): Option[Long] =
    Option(at.leaves(lateness)).filter(_ != Long.MinValue)

  /** Windows that end later are open, and no message has come past them. */
  private def openAfter(reached: Watermark, before: Watermark): Watermark =
    closedUpTo(before).fold(reached)(end => reached.max(Watermark(end)))

  private def openFrom(at: Watermark): Long = closedUpTo(at).fold(Long.MinValue)(grid.firstStart)

  def open(lane: GridLane[B], at: Watermark): Iterator[Long] =
    if (closesComplete) lane.completion.waitingIds ++ panes.withContent(lane, lane.completion.reached)
    else panes.withContent(lane, closedUpTo(at).fold(Watermark.None)(Watermark(_)))

  def isComplete(lane: GridLane[B], start: Long, at: Watermark): Boolean =
    isComplete(lane, start) || isClosed(start, at)

  def current(lane: GridLane[B], at: Watermark): Option[Long] =
    if (closesComplete) panes.newest(lane).filterNot(isComplete(lane, _)).orElse(lane.completion.waitingIds.maxOption)
    else panes.newest(lane).filterNot(isClosed(_, at))
}
