package windrow.core.operator
package run

import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.RangeSweep
import windrow.core.aggregate.StartOffsets
import windrow.core.time.EventTime
import windrow.core.time.Watermark
import windrow.core.window.RunWindow
import windrow.core.window.RunWindows

/** @param hasWaited
  *   it was made where messages had been before, and an end that was reached did not complete it
  */
private[core] final case class CompletedWindow[B](window: RunWindow, hasWaited: Boolean, value: B)

/** What completes the windows of a run. */
private[core] sealed trait RunCompletion[B] {

  /** Windows whose ends it has reached are complete, but for those that wait. */
  def mark(lane: RunLane[B], at: Watermark): Watermark

  def isComplete(lane: RunLane[B], window: RunWindow, at: Watermark): Boolean

  /** A message that was just inserted completes a window that it has changed. */
  def isCompletedInside(lane: RunLane[B], window: RunWindow): Boolean

  /** A message was inserted; its windows are not looked at yet. */
  def inserted(lane: RunLane[B], index: Int, isClosed: RunWindow => Boolean): Unit

  /** The windows that a message completes, in order of their ends. */
  def completedBy(
      lane: RunLane[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]]

  /** The windows that the end of a step completes. */
  def completedAtEnd(lane: RunLane[B], before: Watermark, now: Watermark): Vector[(RunWindow, Boolean)]
}

/** The watermark has reached their end. */
private[core] final class RunCompletionByWatermark[B](windows: RunWindows) extends RunCompletion[B] {
  def mark(lane: RunLane[B], at: Watermark): Watermark                             = at
  def isComplete(lane: RunLane[B], window: RunWindow, at: Watermark): Boolean      = at.reached(window.end)
  def isCompletedInside(lane: RunLane[B], window: RunWindow): Boolean              = false
  def inserted(lane: RunLane[B], index: Int, isClosed: RunWindow => Boolean): Unit = ()

  def completedBy(
      lane: RunLane[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]] = Vector.empty

  def completedAtEnd(lane: RunLane[B], before: Watermark, now: Watermark): Vector[(RunWindow, Boolean)] =
    windows.ending(lane.run, EventTime.plus(before.micros, 1), now.micros).map((_, false)).toVector
}

/** Their key has accepted a message past their end, or the watermark closes them (SEMANTICS R7).
  *
  * @param closedUpTo
  *   the greatest end that a watermark closes
  */
private[core] final class RunCompletionByMessage[B](
    windows: RunWindows,
    aggregation: Aggregation[B, _],
    startsOf: B => StartOffsets,
    closedUpTo: Watermark => Long) extends RunCompletion[B] {

  def mark(lane: RunLane[B], at: Watermark): Watermark = lane.completion.reached

  def isComplete(lane: RunLane[B], window: RunWindow, at: Watermark): Boolean =
    lane.completion.isComplete(window.end, window.id) || window.end <= closedUpTo(at)

  def isCompletedInside(lane: RunLane[B], window: RunWindow): Boolean =
    lane.completion.isWaiting(window.end, window.id) &&
      isPassed(lane, window, lane.run.value(window.from, window.until))

  private def isPassed(lane: RunLane[B], window: RunWindow, value: B): Boolean =
    lane.completion.isPassed(window.end, startsOf(value))

  /** Windows that it makes where messages have been before wait, unless one of those comes after them. */
  def inserted(lane: RunLane[B], index: Int, isClosed: RunWindow => Boolean): Unit = {
    val cell    = lane.run(index)
    val reached = lane.completion.reached
    if (reached.reached(EventTime.plus(cell.position, 1)))
      windows.made(lane.run, index).takeWhile(window => reached.reached(window.end))
        .filter(window => windows.maker(lane.run, window).stamp == cell.stamp)
        .filterNot(window =>
          isClosed(window) || isPassed(lane, window, lane.run.value(window.from, window.until)))
        .foreach(window => lane.completion.await(window.end, window.id))
  }

  def completedBy(
      lane: RunLane[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]] = {
    val reached = lane.completion.reached
    lane.completion.add(position, origin)
    val ended = (waiting(lane, reached.micros) ++
      windows.ending(lane.run, openFrom(reached, before), position).map((_, false))).toVector
    val values = new RangeSweep(lane.run, aggregation).apply(ended.map { case (window, _) =>
      (window.from, window.until)
    })
    val found = ended.zip(values).map { case ((window, hasWaited), value) =>
      CompletedWindow(window, hasWaited, value)
    }
    val (passed, still) = found.partition(one => isPassed(lane, one.window, one.value))
    passed.foreach(one => lane.completion.complete(one.window.end, one.window.id))
    still.foreach(one => lane.completion.await(one.window.end, one.window.id))
    passed
  }

  /** The least end of windows that are open and that no message has come past. */
  private def openFrom(reached: Watermark, before: Watermark): Long =
    EventTime.plus(math.max(reached.micros, closedUpTo(before)), 1)

  private def waiting(lane: RunLane[B], upTo: Long): Iterator[(RunWindow, Boolean)] =
    lane.completion.firstWaiting.iterator.flatMap(windows.ending(lane.run, _, upTo))
      .filter(window => lane.completion.isWaiting(window.end, window.id)).map((_, true))

  def completedAtEnd(lane: RunLane[B], before: Watermark, now: Watermark): Vector[(RunWindow, Boolean)] = {
    val closed = closedUpTo(now)
    val passed = windows.ending(lane.run, openFrom(lane.completion.reached, before), closed)
    (waiting(lane, closed) ++ passed.map((_, false))).toVector
  }
}
