package windrow.core.operator
package run

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Cell
import windrow.core.time.EventTime
import windrow.core.trigger.PaneState
import windrow.core.window.RunWindow
import windrow.core.window.RunWindows

/** @param start
  *   as the last pane had it
  * @param isNew
  *   the window has not fired and was complete when it came to be (SEMANTICS R79)
  */
private[core] final case class RunPaneState[B](paneState: PaneState[B], start: Long, isNew: Boolean = false)

/** What the windows of a run have unsent, found from the order in which messages were accepted: so a message costs nothing
  * for a window that does not fire with it.
  */
private[core] final class RunPaneStates[B](
    windows: RunWindows,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, _],
    panes: PaneMaker[B, _]) {
  private val discards = spec.accumulation == Discarding

  /** The processing time that counts for messages that came before any. */
  var firstTime: Option[Long] = None

  def apply(keyState: RunKeyState[B], window: RunWindow, isComplete: Boolean): RunPaneState[B] =
    Option(keyState.records.get(window.id)) match {
      case Some(record) =>
        RunPaneState(unsent(record.paneState, windows.updates(keyState.run, window, record.stamp)), record.start)
      case None =>
        val maker = windows.maker(keyState.run, window)
        val isNew = spec.onTime && isComplete && maker.judged >= window.end
        if (isComplete && spec.onTime && !isNew) afterOnTime(keyState, window)
        else RunPaneState(neverFired(keyState, window, maker), window.start, isNew)
    }

  /** Whether something may be unsent in a complete window, without reading the run.
    *
    * @param latest
    *   the run's `maxJudged`
    */
  def mayHaveUnsent(keyState: RunKeyState[B], window: RunWindow, latest: Long): Boolean =
    !spec.onTime || latest >= window.end || keyState.records.containsKey(window.id)

  /** Complete windows that may have something unsent end no later. */
  def mostUnsent(keyState: RunKeyState[B], latest: Long): Long =
    if (spec.onTime && keyState.records.isEmpty) latest else EventTime.Max

  private def afterOnTime(keyState: RunKeyState[B], window: RunWindow): RunPaneState[B] = {
    def held  = windows.onTime(keyState.run, window)
    val fired = panes.firedOnTime(keyState.shown.at(window.end, RunPaneStates.stamp(window)).getOrElse(combined(held)))
    val start = if (fired.shown.isDefined && windows.beginAtMessage) held.next().position else window.start
    RunPaneState(unsent(fired, windows.lateUpdates(keyState.run, window)), start)
  }

  private def combined(cells: IterableOnce[Cell[B]]): B =
    cells.iterator.foldLeft(aggregation.zero)((sum, cell) => aggregation.combine(sum, cell.buffer))

  /** The message that made the window is unsent, and those that came since; a first pane shows all. */
  private def neverFired(keyState: RunKeyState[B], window: RunWindow, maker: Cell[B]): PaneState[B] = PaneState(
    unsent = maker.count + windows.updates(keyState.run, window, maker.stamp).map(_.count).sum,
    since = maker.at.orElse(firstTime),
    delta = Option.when(discards)(keyState.run.value(window.from, window.until)))

  private def unsent(paneState: PaneState[B], news: Iterator[Cell[B]]): PaneState[B] = {
    val cells = news.toVector
    if (cells.isEmpty) paneState
    else paneState.copy(
      unsent = cells.iterator.map(_.count).sum,
      since = cells.minBy(_.stamp).at.orElse(firstTime),
      delta = Option.when(discards)(combined(cells)))
  }
}

private object RunPaneStates {

  /** Windows of messages may end together; each has the stamp of its message. */
  def stamp(window: RunWindow): Long = if (window.owner < 0) 0 else window.id
}
