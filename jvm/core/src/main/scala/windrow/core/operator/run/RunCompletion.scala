package windrow.core.operator
package run

import windrow.core.aggregate.{Aggregation, RangeSweep, StartOffsets}
import windrow.core.time.{Position, Watermark}
import windrow.core.window.{RunWindow, RunWindows}

/** A window that a message has completed.
  *
  * @param hasWaited
  *   whether a message had reached its end before without completing it
  */
private[core] final case class CompletedWindow[B](window: RunWindow, hasWaited: Boolean, value: B)

/** Decides which windows of a run are complete. */
private[core] sealed trait RunCompletion[B] {

  /** Windows with ends up to this mark are complete, except those that wait. */
  def mark(keyState: RunKeyState[B], at: Watermark): Watermark

  def isComplete(keyState: RunKeyState[B], window: RunWindow, at: Watermark): Boolean

  /** Whether the message that was just inserted completes a window that it has changed. */
  def isCompletedInside(keyState: RunKeyState[B], window: RunWindow): Boolean

  /** Called when a message was inserted, before its windows are checked. */
  def inserted(keyState: RunKeyState[B], index: Int, isClosed: RunWindow => Boolean): Unit

  /** The windows that a message completes, in order of their ends. */
  def completedBy(
      keyState: RunKeyState[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]]

  /** The windows that the end of a step completes, computed lazily. */
  def completedAtEnd(keyState: RunKeyState[B], before: Watermark, now: Watermark): Iterator[(RunWindow, Boolean)]
}

/** Windows are complete when the watermark has reached their end. */
private[core] final class RunCompletionByWatermark[B](windows: RunWindows) extends RunCompletion[B] {
  def mark(keyState: RunKeyState[B], at: Watermark): Watermark                             = at
  def isComplete(keyState: RunKeyState[B], window: RunWindow, at: Watermark): Boolean      = at.reached(window.end)
  def isCompletedInside(keyState: RunKeyState[B], window: RunWindow): Boolean              = false
  def inserted(keyState: RunKeyState[B], index: Int, isClosed: RunWindow => Boolean): Unit = ()

  def completedBy(
      keyState: RunKeyState[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]] = Vector.empty

  def completedAtEnd(keyState: RunKeyState[B], before: Watermark, now: Watermark): Iterator[(RunWindow, Boolean)] =
    windows.ending(keyState.run, Position.plus(before.micros, 1), now.micros).map((_, false))
}

/** Windows are complete when their key has accepted a message past their end, or when the watermark closes them
  * (SEMANTICS R7).
  *
  * @param closedUpTo
  *   the greatest end that a watermark closes
  */
private[core] final class RunCompletionByMessage[B](
    windows: RunWindows,
    aggregation: Aggregation[B, _],
    startsOf: B => StartOffsets,
    closedUpTo: Watermark => Long) extends RunCompletion[B] {

  def mark(keyState: RunKeyState[B], at: Watermark): Watermark = keyState.completion.reached

  def isComplete(keyState: RunKeyState[B], window: RunWindow, at: Watermark): Boolean =
    keyState.completion.isComplete(window.end, window.id) || window.end <= closedUpTo(at)

  def isCompletedInside(keyState: RunKeyState[B], window: RunWindow): Boolean =
    keyState.completion.isWaiting(window.end, window.id) &&
      isPassed(keyState, window, keyState.run.value(window.from, window.until))

  private def isPassed(keyState: RunKeyState[B], window: RunWindow, value: B): Boolean =
    keyState.completion.isPassed(window.end, startsOf(value))

  /** Windows that the message creates below the greatest position of the key wait, unless a message past their end
    * already has a later offset (SEMANTICS R7).
    */
  def inserted(keyState: RunKeyState[B], index: Int, isClosed: RunWindow => Boolean): Unit = {
    val cell    = keyState.run(index)
    val reached = keyState.completion.reached
    if (reached.reached(Position.plus(cell.position, 1)))
      windows.made(keyState.run, index).takeWhile(window => reached.reached(window.end))
        .filter(window => windows.maker(keyState.run, window).stamp == cell.stamp)
        .filterNot(window =>
          isClosed(window) || isPassed(keyState, window, keyState.run.value(window.from, window.until)))
        .foreach(window => keyState.completion.await(window.end, window.id))
  }

  def completedBy(
      keyState: RunKeyState[B],
      position: Long,
      origin: Option[Origin],
      before: Watermark): Vector[CompletedWindow[B]] = {
    val reached = keyState.completion.reached
    keyState.completion.add(position, origin)
    val ended = (waiting(keyState, reached.micros) ++
      windows.ending(keyState.run, openFrom(reached, before), position).map((_, false))).toVector
    val values = new RangeSweep(keyState.run, aggregation).apply(ended.map { case (window, _) =>
      (window.from, window.until)
    })
    val found = ended.zip(values).map { case ((window, hasWaited), value) =>
      CompletedWindow(window, hasWaited, value)
    }
    val (passed, still) = found.partition(one => isPassed(keyState, one.window, one.value))
    passed.foreach(one => keyState.completion.complete(one.window.end, one.window.id))
    still.foreach(one => keyState.completion.await(one.window.end, one.window.id))
    passed
  }

  /** The least end of open windows that no message has passed. */
  private def openFrom(reached: Watermark, before: Watermark): Long =
    Position.plus(math.max(reached.micros, closedUpTo(before)), 1)

  private def waiting(keyState: RunKeyState[B], upTo: Long): Iterator[(RunWindow, Boolean)] =
    keyState.completion.firstWaiting.iterator.flatMap(windows.ending(keyState.run, _, upTo))
      .filter(window => keyState.completion.isWaiting(window.end, window.id)).map((_, true))

  def completedAtEnd(keyState: RunKeyState[B], before: Watermark, now: Watermark): Iterator[(RunWindow, Boolean)] = {
    val closed = closedUpTo(now)
    val passed = windows.ending(keyState.run, openFrom(keyState.completion.reached, before), closed)
    waiting(keyState, closed) ++ passed.map((_, false))
  }
}
