package windrow.core.operator
package run

import windrow._
import windrow.core.aggregate.{Aggregation, Cell}
import windrow.core.state.{ByteReader, ByteWriter, StatePart}
import windrow.core.time.EventTime
import windrow.core.trigger.PaneState
import windrow.core.window.{RunWindow, RunWindows}

/** The pane state of a window, derived from a run.
  *
  * @param start
  *   start in the last pane
  * @param isNew
  *   whether the window has not fired and was complete when it was created (SEMANTICS R79)
  */
private[core] final case class RunPaneState[B](paneState: PaneState[B], start: Long, isNew: Boolean = false)

/** Derives the unsent messages of windows from the order in which messages were accepted, so that a message costs
  * nothing for windows that do not fire with it.
  */
private[core] final class RunPaneStates[B](
    windows: RunWindows,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, _],
    panes: PaneMaker[B, _]) extends StatePart {
  private val discards = spec.accumulation == Discarding

  /** The processing time assigned to messages that arrived before the first one was known. Stored in the checkpoint. */
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

  /** Whether a complete window may have unsent messages. Does not read the run.
    *
    * @param latest
    *   the run's `maxJudged`
    */
  def mayHaveUnsent(keyState: RunKeyState[B], window: RunWindow, latest: Long): Boolean =
    !spec.onTime || latest >= window.end || keyState.records.containsKey(window.id)

  /** The greatest end of complete windows that may have unsent messages. */
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

  /** The state of a window that has never fired. Unsent are the message that created it and all later ones; its first
    * pane shows everything.
    */
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

  def readDirectory(in: ByteReader): Unit = firstTime = Option.when(in.byte() == 1)(in.long())

  def writeDirectory(out: ByteWriter): Unit = {
    out.byte(if (firstTime.isDefined) 1 else 0)
    firstTime.foreach(out.long)
  }
}

private object RunPaneStates {

  /** Windows owned by messages may have the same end, so each is identified by the stamp of its message. */
  def stamp(window: RunWindow): Long = if (window.owner < 0) 0 else window.id
}
