package windrow.core.fullstate

import windrow.core.store.WindowRow
import windrow.core.time.EventTime

/** How far windows have come in their lives, as decisions: they take messages, are complete, are closed and only remembered.
  *
  * @param reach
  *   how far the axes of windows have come
  */
private[fullstate] final class RowLife(placer: Placer, policy: DeltaPolicy, reach: => Reach) {

  def isComplete(row: WindowRow, state: KeyWindows): Boolean =
    placer.reach(row.id.part, state, reach).reached(row.end, placer.delay)

  def isClosed(row: WindowRow, state: KeyWindows): Boolean =
    placer.reach(row.id.part, state, reach).reached(row.end, EventTime.plus(placer.lateness, placer.delay))

  def outlook(row: WindowRow, state: KeyWindows): Outlook = {
    val complete = isComplete(row, state)
    val closed   = isClosed(row, state)
    val open     = row.hasEnd && !closed
    val end      = EventTime.plus(row.end, placer.delay)
    Outlook(
      if (closed) Map.empty else Map(row.id.part -> (if (complete) EventTime.plus(end, placer.lateness) else end)),
      policy.deadline(complete, row.firing).getOrElse(Long.MaxValue),
      if (open) row.oldest else Long.MaxValue,
      if (open || row.firing.unsent > 0) None else row.newest)
  }

  /** A step brings something to one of these windows, beside its messages. */
  def isDue(told: Outlook, state: KeyWindows, processingTime: Option[Long]): Boolean =
    processingTime.exists(told.period <= _) ||
      told.deadlines.exists { case (part, at) => placer.reach(part, state, reach).reached(at) }

  /** The watermark at which a key's windows are to be looked at, whatever comes. */
  def deadline(state: KeyWindows): Long = placer.pace match {
    case Pace.ByWatermark => state.rows.told.flatMap(_.deadlines.valuesIterator).minOption.getOrElse(Long.MaxValue)
    case Pace.ByNumbers   => Long.MaxValue
    case Pace.ByOffsets   => if (state.rows.told.exists(_.takesMessages)) Long.MinValue else Long.MaxValue
  }
}
