package windrow.core.fullstate

import windrow.Retention
import windrow.core.store.Incoming
import windrow.core.store.RetentionBound
import windrow.core.store.StoredMessage
import windrow.core.store.WindowId
import windrow.core.store.WindowRow
import windrow.core.time.EventTime
import windrow.core.time.EventTime.plus
import windrow.core.window.SessionBounds
import windrow.core.window.SliceGrid

private final class AlignedPlacer(grid: SliceGrid, val lateness: Long) extends PlacerDefaults {
  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Placement =
    if (grid.inGap(time)) Placement.Gap
    else {
      val open = Iterator.iterate(grid.firstStart(time))(grid.next).takeWhile(_ <= time)
        .map(start => WindowId(start, grid.end(start)))
        .filterNot(id => before.watermark.reached(id.end, lateness)).toVector
      if (open.isEmpty) Placement.TooLate
      else Placement.Enter(Placer.counted(state.rows, message.stored(time), open), open.headOption)
    }
}

private final class SessionPlacer(gap: Option[Long], val lateness: Long) extends PlacerDefaults {
  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Placement =
    message.gap.orElse(gap).filter(own => own > 0 && EventTime.holds(time, own)).fold[Placement](Placement.Broken) {
      own =>
        val bounds = SessionBounds(time, plus(time, own))
        if (before.watermark.reached(bounds.end, lateness)) Placement.TooLate
        else enter(state, message.stored(time), bounds, before)
    }

  private def enter(state: KeyWindows, message: StoredMessage, own: SessionBounds, before: Reach): Placement = {
    val merged = touched(state, own, before)
    val bounds = merged.foldLeft(own)((all, row) => all.span(SessionBounds(row.start, row.end)))
    SessionPlacer.replaced(
      state,
      merged,
      WindowId(bounds.start, bounds.end),
      message,
      isComplete = before.watermark.reached(bounds.end))
  }

  /** Sessions that a message touches. Those past their lateness only remember, they take nothing more (SEMANTICS R53); with
    * one gap for all, all that are open begin after them.
    */
  private def touched(state: KeyWindows, own: SessionBounds, before: Reach): Vector[WindowRow] = {
    def isClosed(row: WindowRow) = before.watermark.reached(row.end, lateness)
    val earlier                  = state.before(plus(own.end, 1))
    val open                     = if (gap.isDefined) earlier.takeWhile(!isClosed(_)) else earlier.filterNot(isClosed)
    open.takeWhile(_.end >= own.start).toVector.reverse
  }
}

private[fullstate] object SessionPlacer {

  /** The message in a session that takes the place of others, or is the same as the only one.
    *
    * @param isComplete
    *   it was complete before the message came
    */
  def replaced(
      state: KeyWindows,
      merged: Seq[WindowRow],
      id: WindowId,
      message: StoredMessage,
      isComplete: Boolean): Placement = {
    val row = merged match {
      case Seq(same) if same.id == id => same
      case one +: others              => one.joined(others, id, isComplete)
      case _                          => WindowRow.opened(id)
    }
    Placement.Enter(state.rows -- merged.map(_.id) + (id -> row.counting(message)), Some(id))
  }
}

/** It protects nothing from retention, so what is out of it is refused (SEMANTICS R10). */
private final class GlobalPlacer(retention: Retention, val lateness: Long) extends PlacerDefaults {
  private val id = WindowId(Long.MinValue, Long.MaxValue)

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Placement =
    if (before.watermark.reached(id.end) || RetentionBound.isOut(retention, before.watermark, time)) Placement.TooLate
    else Placement.Enter(Placer.counted(state.rows, message.stored(time), Seq(id)), Some(id))
}
