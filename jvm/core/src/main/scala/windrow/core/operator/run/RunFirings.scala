package windrow.core.operator
package run

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Cell
import windrow.core.trigger.Firing
import windrow.core.window.RunWindow
import windrow.core.window.RunWindows

/** @param start
  *   as the last pane had it
  * @param isNew
  *   the window has not fired and was complete when it came to be (SEMANTICS R79)
  */
private[core] final case class RunFiring[B](firing: Firing[B], start: Long, isNew: Boolean = false)

/** What the windows of a run have unsent, found from the order in which messages were accepted: so a message costs nothing
  * for a window that does not fire with it.
  */
private[core] final class RunFirings[B](
    windows: RunWindows,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, _],
    panes: PaneMaker[B, _]) {
  private val discards = spec.accumulation == Discarding

  /** The processing time that counts for messages that came before any. */
  var firstTime: Option[Long] = None

  def apply(lane: RunLane[B], window: RunWindow, isComplete: Boolean): RunFiring[B] =
    Option(lane.records.get(window.id)) match {
      case Some(record) =>
        RunFiring(unsent(record.firing, windows.updates(lane.run, window, record.stamp)), record.start)
      case None =>
        val maker = windows.maker(lane.run, window)
        val isNew = spec.onTime && isComplete && maker.judged >= window.end
        if (isComplete && spec.onTime && !isNew) afterOnTime(lane, window)
        else RunFiring(neverFired(lane, window, maker), window.start, isNew)
    }

  /** Whether something may be unsent in a complete window, without reading the run.
    *
    * @param latest
    *   the run's `maxJudged`
    */
  def mayHaveUnsent(lane: RunLane[B], window: RunWindow, latest: Long): Boolean =
    !spec.onTime || latest >= window.end || lane.records.containsKey(window.id)

  private def afterOnTime(lane: RunLane[B], window: RunWindow): RunFiring[B] = {
    lazy val held = windows.onTime(lane.run, window).toVector
    val fired     = panes.firedOnTime(combined(held))
    val start     = if (fired.shown.isDefined && windows.beginAtMessage) held.head.position else window.start
    RunFiring(unsent(fired, windows.lateUpdates(lane.run, window)), start)
  }

  private def combined(cells: Seq[Cell[B]]): B =
    cells.foldLeft(aggregation.zero)((sum, cell) => aggregation.combine(sum, cell.buffer))

  /** The message that made the window is unsent, and those that came since; a first pane shows all. */
  private def neverFired(lane: RunLane[B], window: RunWindow, maker: Cell[B]): Firing[B] = Firing(
    unsent = maker.count + windows.updates(lane.run, window, maker.stamp).map(_.count).sum,
    since = maker.at.orElse(firstTime),
    delta = Option.when(discards)(lane.run.value(window.from, window.until)))

  private def unsent(firing: Firing[B], news: Iterator[Cell[B]]): Firing[B] = {
    val cells = news.toVector
    if (cells.isEmpty) firing
    else firing.copy(
      unsent = cells.iterator.map(_.count).sum,
      since = cells.minBy(_.stamp).at.orElse(firstTime),
      delta = Option.when(discards)(combined(cells)))
  }
}
