package windrow.core.fullstate

import windrow.core.grid.SliceGrid
import windrow.core.store.{Incoming, RetentionBound, StoredMessage, WindowId, WindowRow}
import windrow.core.time.Position.plus
import windrow.core.time.{Axis, Bounds, Distance, EventTime}
import windrow.{Retention, RowValue}

/** Windows with the same bounds for every key. */
private final class AlignedAssigner(grid: SliceGrid[Axis.Time], val lateness: Distance[Axis.Time])
    extends TimeAssigner {
  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    if (grid.inGap(time)) Assignment.Gap
    else {
      val open = Iterator.iterate(grid.firstStart(time))(grid.next).takeWhile(_ <= time)
        .map(start => WindowId(start, grid.end(start)))
        .filterNot(id => before.watermark.reached(id.end, lateness)).toVector
      if (open.isEmpty) Assignment.TooLate else WindowAssigner.counted(state, message.stored(time), open)
    }
}

/** Sessions by event time. */
private final class SessionAssigner(gap: RowValue, val lateness: Distance[Axis.Time]) extends TimeAssigner {
  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    gap.of(message.value).filter(EventTime.holds(time, _)).fold[Assignment](Assignment.Broken) {
      own =>
        val bounds = Bounds(time, plus(time, own))
        if (before.watermark.reached(bounds.end, lateness)) Assignment.TooLate
        else enter(state, message.stored(time), bounds, before)
    }

  private def enter(state: KeyWindows, message: StoredMessage, own: Bounds, before: AxisProgress): Assignment = {
    val merged = touched(state, own, before)
    val bounds = merged.foldLeft(own)((all, row) => all.span(Bounds(row.start, row.end)))
    SessionAssigner.replaced(
      merged,
      WindowId(bounds.start, bounds.end),
      message,
      isComplete = before.watermark.reached(bounds.end))
  }

  /** Sessions that a message touches. Those past their lateness are only metadata and accept no messages
    * (SEMANTICS R53).
    */
  private def touched(state: KeyWindows, own: Bounds, before: AxisProgress): Vector[WindowRow] =
    state.rows.before(WindowId(plus(own.end, 1), EventTime.Min), _.takesMessages)
      .filterNot(row => before.watermark.reached(row.end, lateness))
      .takeWhile(_.end >= own.start).toVector.reverse
}

private[fullstate] object SessionAssigner {

  /** Puts a message into a session that replaces others, or that is unchanged if there is only one.
    *
    * @param isComplete
    *   whether the session was complete before the message
    */
  def replaced(
      merged: Seq[WindowRow],
      id: WindowId,
      message: StoredMessage,
      isComplete: Boolean): Assignment = {
    val row = merged match {
      case Seq(same) if same.id == id => same
      case one +: others              => one.joined(others, id, isComplete)
      case _                          => WindowRow.opened(id)
    }
    Assignment.Acceptance(Seq(row.counting(message)), Some(id), replaced = merged.filterNot(_.id == id))
  }
}

/** The global window. It does not protect its messages from retention, so messages out of retention are rejected
  * (SEMANTICS R10).
  */
private final class GlobalAssigner(retention: Retention, val lateness: Distance[Axis.Time]) extends TimeAssigner {
  private val id = WindowId(EventTime.Min, EventTime.Max)

  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    if (before.watermark.reached(id.end) || RetentionBound.isOut(retention, before.watermark, time)) Assignment.TooLate
    else WindowAssigner.counted(state, message.stored(time), Seq(id))
}
