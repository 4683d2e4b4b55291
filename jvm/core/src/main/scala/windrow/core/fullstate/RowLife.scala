package windrow.core.fullstate

import windrow.core.store.WindowRow
import windrow.core.time.EventTime

/** How far windows have come in their lives, as decisions: they take messages, are complete, are closed and only remembered.
  *
  * @param reach
  *   how far the axes of windows have come
  */
private[fullstate] final class RowLife(assigner: WindowAssigner, policy: DeltaPolicy, reach: => Reach) {

  def isComplete(row: WindowRow, state: KeyWindows): Boolean =
    assigner.reach(row.id.partition, state, reach).reached(row.end, assigner.delay)

  def isClosed(row: WindowRow, state: KeyWindows): Boolean =
    assigner.reach(row.id.partition, state, reach).reached(row.end, EventTime.plus(assigner.lateness, assigner.delay))

  def outlook(row: WindowRow, state: KeyWindows): PageSummary = {
    val complete = isComplete(row, state)
    val closed   = isClosed(row, state)
    val open     = row.hasEnd && !closed
    val end      = EventTime.plus(row.end, assigner.delay)
    PageSummary(
      if (closed) Map.empty
      else Map(row.id.partition -> (if (complete) EventTime.plus(end, assigner.lateness) else end)),
      policy.deadline(complete, row.paneState).getOrElse(Long.MaxValue),
      if (open) row.oldest else Long.MaxValue,
      if (open || row.paneState.unsent > 0) None else row.newest)
  }

  /** A step brings something to one of these windows, beside its messages. */
  def isDue(told: PageSummary, state: KeyWindows, processingTime: Option[Long]): Boolean =
    processingTime.exists(told.period <= _) ||
      told.deadlines.exists { case (partition, at) => assigner.reach(partition, state, reach).reached(at) }

  /** The watermark at which a key's windows are to be looked at, whatever comes. */
  def deadline(state: KeyWindows): Long = assigner.pace match {
    case Pace.ByWatermark => state.rows.told.flatMap(_.deadlines.valuesIterator).minOption.getOrElse(Long.MaxValue)
    case Pace.ByNumbers   => Long.MaxValue
    case Pace.ByOffsets   => if (state.rows.told.exists(_.takesMessages)) Long.MinValue else Long.MaxValue
  }
}
