package windrow.core.fullstate

import windrow.core.store.WindowRow
import windrow.core.time.{Due, EventTime}

/** Decides the stage of windows: open, complete, or closed and kept only as metadata.
  *
  * @param reach
  *   progress of the axes of windows
  */
private[fullstate] final class RowLife(assigner: WindowAssigner, policy: DeltaPolicy, reach: => AxisProgress)
    extends RowOutlook {

  def isComplete(row: WindowRow, state: KeyWindows): Boolean =
    assigner.reach(row.id.partition, state, reach).reached(row.end, assigner.delay)

  def isClosed(row: WindowRow, state: KeyWindows): Boolean =
    assigner.reach(row.id.partition, state, reach).reached(row.end, assigner.lateness + assigner.delay)

  def outlook(row: WindowRow, state: KeyWindows): PageSummary = {
    val complete = isComplete(row, state)
    val closed   = isClosed(row, state)
    val open     = row.hasEnd && !closed
    val end      = assigner.delay.after(row.end)
    PageSummary(
      if (closed) Map.empty
      else Map(row.id.partition -> (if (complete) assigner.lateness.after(end) else end)),
      policy.deadline(complete, row.paneState).getOrElse(Due.Never),
      if (open) row.oldest else EventTime.Max,
      if (open || row.paneState.unsent > 0) None else row.newest)
  }

  /** Whether a window of a page is due in this step for another reason than its messages. */
  def isDue(page: PageSummary, state: KeyWindows, processingTime: Option[Long]): Boolean =
    processingTime.exists(page.period <= _) ||
      page.deadlines.exists { case (partition, at) => assigner.reach(partition, state, reach).reached(at) }

  def countsStored: Boolean = assigner.countsStored

  /** The watermark at which a key is due even without messages. */
  def deadline(state: KeyWindows): Long = assigner.pace match {
    case Pace.ByWatermark => state.rows.pageSummaries.flatMap(_.deadlines.valuesIterator).minOption.getOrElse(Due.Never)
    case Pace.ByNumbers   => Due.Never
    case Pace.ByOffsets   => if (state.rows.pageSummaries.exists(_.takesMessages)) Due.AtOnce else Due.Never
  }
}
