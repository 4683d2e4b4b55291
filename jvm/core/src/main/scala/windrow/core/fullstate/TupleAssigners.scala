package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.store.Incoming
import windrow.core.store.StoredMessage
import windrow.core.store.WindowId
import windrow.core.time.Watermark

/** Windows of positions, one every `step` from a start on. */
private[fullstate] sealed trait SteppedAssigner extends AssignerDefaults {
  def n: Long
  def step: Long

  override def shownEnd(id: WindowId): Long = id.end - 1

  protected def at(position: Long, start: Long, partition: Option[SourcePartition]): Seq[WindowId] = {
    val last = Math.floorDiv(position - start, step) * step + start
    Iterator.iterate(last)(_ - step).takeWhile(first => first >= start && first + n > position)
      .map(first => WindowId(first, first + n, partition)).toSeq.reverse
  }
}

/** By number in the key (SEMANTICS R82); nothing is late but after the end of the input. */
private final class CountAssigner(val n: Long, val step: Long) extends SteppedAssigner {
  def lateness: Long      = 0
  override def pace: Pace = Pace.ByNumbers

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment =
    if (before.watermark.isEnd) Assignment.TooLate
    else {
      val ids = at(state.numbered, start = 0, partition = None)
      if (ids.isEmpty) Assignment.Gap else WindowAssigner.counted(state, message.stored(time), ids)
    }

  override def reach(partition: Option[SourcePartition], state: KeyWindows, at: Reach): Watermark =
    if (at.watermark.isEnd) at.watermark else Watermark(state.numbered)

  /** A window does not exist before the message that may complete it. */
  override def reachedBefore(partition: Option[SourcePartition], state: KeyWindows, before: Reach): Watermark =
    Watermark.None

  override def reachOf(message: StoredMessage, state: KeyWindows): Watermark = Watermark(state.numbered)

  override def position(message: Incoming, time: Long, state: KeyWindows): Long = state.numbered
}

/** By offset in the partition, from its start offset on; what comes before is in a gap (SEMANTICS R21). */
private final class OffsetAssigner(val n: Long, val step: Long, starts: Map[Long, Long], val lateness: Long)
    extends SteppedAssigner {
  override def pace: Pace = Pace.ByOffsets

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment =
    message.origin.fold[Assignment](Assignment.Broken) { from =>
      val ids  = at(from.offset, starts.getOrElse(from.partition.number, 0L), Some(from.partition))
      val open = ids.filterNot(id => before.of(from.partition).reached(id.end, lateness))
      if (ids.isEmpty) Assignment.Gap
      else if (open.isEmpty) Assignment.TooLate
      else WindowAssigner.counted(state, message.stored(time), open)
    }

  override def reach(partition: Option[SourcePartition], state: KeyWindows, at: Reach): Watermark =
    partition.fold(Watermark.None)(at.of)

  override def reachOf(message: StoredMessage, state: KeyWindows): Watermark =
    message.offset.fold(Watermark.None)(offset => Watermark(offset + 1))

  override def position(message: Incoming, time: Long, state: KeyWindows): Long = message.origin.fold(time)(_.offset)
}

/** Messages of a key in one partition with at most `n` others of the partition between them. */
private final class TupleSessionAssigner(n: Long) extends AssignerDefaults {
  def lateness: Long                        = 0
  override def delay: Long                  = n + 1
  override def pace: Pace                   = Pace.ByOffsets
  override def shownEnd(id: WindowId): Long = id.end - 1

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment =
    message.origin.fold[Assignment](Assignment.Broken) { from =>
      if (before.of(from.partition).reached(from.offset + 1)) Assignment.TooLate
      else {
        val joined = state.lastRow(Some(from.partition)).filter(session => from.offset - session.end <= n)
        val id     = WindowId(joined.fold(from.offset)(_.start), from.offset + 1, Some(from.partition))
        SessionAssigner.replaced(joined.toSeq, id, message.stored(time), isComplete = false)
      }
    }

  override def reach(partition: Option[SourcePartition], state: KeyWindows, at: Reach): Watermark =
    partition.fold(Watermark.None)(at.of)

  override def position(message: Incoming, time: Long, state: KeyWindows): Long = message.origin.fold(time)(_.offset)
}
