package windrow.core.fullstate

import windrow.SourcePartition
import windrow.core.grid.PositionGrid
import windrow.core.operator.Origin
import windrow.core.store.{Incoming, StoredMessage, WindowId}
import windrow.core.time.{Axis, Distance, Front, Offset, Position}

/** Windows by a message's number in its key (SEMANTICS R82). Only the end of the input makes a message late. */
private final class CountAssigner(n: Long, step: Long) extends AssignerDefaults {
  type Of = Axis.Sequence
  private val grid = new PositionGrid[Axis.Sequence](n, step, start = 0)

  def lateness: Distance[Axis.Sequence] = Distance.none
  def pace: Pace                        = Pace.ByNumbers

  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    if (before.watermark.isEnd) Assignment.TooLate
    else if (grid.inGap(state.numbered)) Assignment.Gap
    else {
      val ids = grid.windowsAt(state.numbered).map(first => WindowId(first, grid.end(first)))
      WindowAssigner.counted(state, message.stored(time), ids.toVector)
    }

  def reach(partition: Option[SourcePartition], state: KeyWindows, at: AxisProgress): Front[Axis.Sequence] =
    if (at.watermark.isEnd) Front.end else Front(state.numbered)

  /** A window does not exist before the message that may complete it. */
  override def reachedBefore(
      partition: Option[SourcePartition],
      state: KeyWindows,
      before: AxisProgress): Front[Axis.Sequence] = Front.none

  override def reachOf(message: StoredMessage, state: KeyWindows): Front[Axis.Sequence] = Front(state.numbered)
}

/** Windows on the offsets of source partitions, each with its own progress. */
private[fullstate] sealed trait OffsetsAssigner extends AssignerDefaults {
  final type Of = Axis.Offset
  def pace: Pace = Pace.ByOffsets

  protected def place(state: KeyWindows, message: StoredMessage, from: Origin, before: Front[Axis.Offset]): Assignment

  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    message.origin.fold[Assignment](Assignment.Broken)(from =>
      place(state, message.stored(time), from, before.of(from.partition)))

  def reach(partition: Option[SourcePartition], state: KeyWindows, at: AxisProgress): Front[Axis.Offset] =
    partition.fold(Front.none[Axis.Offset])(at.of)
}

/** Windows by offset in the partition, from its start offset on; earlier offsets are in a gap (SEMANTICS R21). */
private final class OffsetAssigner(
    n: Long,
    step: Long,
    starts: Map[Long, Long],
    val lateness: Distance[Axis.Offset]) extends OffsetsAssigner {

  protected def place(
      state: KeyWindows,
      message: StoredMessage,
      from: Origin,
      before: Front[Axis.Offset]): Assignment = {
    val grid = new PositionGrid[Axis.Offset](n, step, starts.getOrElse(from.partition.number, 0L))
    if (grid.inGap(from.offset)) Assignment.Gap
    else {
      val open = grid.windowsAt(from.offset).map(first => WindowId(first, grid.end(first), Some(from.partition)))
        .filterNot(id => before.reached(id.end, lateness)).toVector
      if (open.isEmpty) Assignment.TooLate else WindowAssigner.counted(state, message, open)
    }
  }

  override def reachOf(message: StoredMessage, state: KeyWindows): Front[Axis.Offset] =
    message.offset.fold(Front.none[Axis.Offset])(offset => Front.past(Offset(offset)))
}

/** Sessions of a key's messages in one partition, with at most `n` other offsets between two of them. */
private final class TupleSessionAssigner(n: Long) extends OffsetsAssigner {
  def lateness: Distance[Axis.Offset]       = Distance.none
  override def delay: Distance[Axis.Offset] = new Distance[Axis.Offset](n) + Distance.one

  protected def place(
      state: KeyWindows,
      message: StoredMessage,
      from: Origin,
      before: Front[Axis.Offset]): Assignment = {
    val end = Position.plus(from.offset, 1)
    if (before.reached(end)) Assignment.TooLate
    else {
      val joined = state.lastRow(Some(from.partition)).filter(session => from.offset - session.end <= n)
      val id     = WindowId(joined.fold(from.offset)(_.start), end, Some(from.partition))
      SessionAssigner.replaced(joined.toSeq, id, message, isComplete = false)
    }
  }
}
