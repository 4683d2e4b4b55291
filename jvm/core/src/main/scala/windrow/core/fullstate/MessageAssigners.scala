package windrow.core.fullstate

import windrow.ErrorConditions
import windrow.Over
import windrow.core.state.DamagedStateError
import windrow.core.state.FirstIndex
import windrow.core.store.Incoming
import windrow.core.store.StoredMessage
import windrow.core.store.WindowId
import windrow.core.store.WindowRow
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime
import windrow.core.time.Position
import windrow.core.time.Position.minus
import windrow.core.time.Position.plus

/** Windows that follow from the messages that are stored (KIP-450's). */
private final class SlidingAssigner(size: Long, granularity: Long, val lateness: Distance[Axis.Time])
    extends TimeAssigner {
  private def floor(time: Long): Long = Position.floor(time, granularity)

  private def id(start: Long): WindowId = WindowId(start, plus(start, size + 1))

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment = {
    val at                            = floor(time)
    val stored                        = message.stored(time)
    def isOpen(id: WindowId): Boolean = !before.watermark.reached(id.end, lateness)
    if (!isOpen(id(at))) Assignment.TooLate
    else {
      val around   = neighbours(state, at)
      val earlier  = around.map(one => floor(one.time)).distinct.sorted
      val was      = starts(earlier)
      val brought  = starts((earlier :+ at).distinct.sorted).diff(was).map(id).filter(isOpen)
      val made     = brought.filter(state.rows.get(_).isEmpty)
      val existing = state.rows.from(WindowId(minus(at, size), EventTime.Min)).takeWhile(_.start <= at).toVector
      val (holding, beside) =
        (existing ++ made.map(taking(_, around))).sortBy(_.id).partition(row => holds(row.id, stored) && isOpen(row.id))
      Assignment.Enter(
        beside.filter(row => made.contains(row.id)) ++ holding.map(_.counting(stored)),
        holding.headOption.map(_.id),
        found = found(made, around))
    }
  }

  /** A message that is accepted for the sake of windows to come may be in none yet (SEMANTICS R47). */
  private def found(brought: Seq[WindowId], messages: Vector[StoredMessage]): Seq[(StoredMessage, WindowId)] =
    messages.filterNot(_.isSettled).flatMap(one => brought.find(holds(_, one)).map(one -> _))

  private def holds(id: WindowId, message: StoredMessage): Boolean =
    id.start <= floor(message.time) && floor(message.time) < id.end

  /** All messages that may share a window with one that shares a window with it. */
  private def neighbours(state: KeyWindows, at: Long): Vector[StoredMessage] = {
    val far = 3 * (size + granularity)
    state.messages.range(Axis.Time, Some(minus(at, far)), Some(plus(at, far + granularity))).toVector
  }

  /** Of the windows that hold one of these positions, which ascend; of those with the same content, a range of them, the one
    * that starts first.
    */
  private def starts(positions: Vector[Long]): Vector[Long] = {
    def firstFrom(bound: Long): Int = FirstIndex.where(positions.size)(i => positions(i) >= bound)
    positions.flatMap(at => Seq(minus(at, size), plus(at, granularity))).distinct.sorted
      .map(start => (start, firstFrom(start), firstFrom(plus(plus(start, size), 1))))
      .filter { case (_, from, until) => from < until }
      .distinctBy { case (_, from, until) => (from, until) }.map(_._1)
  }

  /** A window that comes to be takes all stored messages that it holds (SEMANTICS R6). */
  private def taking(id: WindowId, messages: Vector[StoredMessage]): WindowRow =
    messages.filter(holds(id, _))
      .foldLeft(WindowRow.opened(id))(_ counting _)

  override def position(message: Incoming, time: Long, state: KeyWindows): Long = floor(time)
}

/** A window for each message; the message comes out with its own (SEMANTICS R43). */
private final class OverAssigner(kind: Over, val lateness: Distance[Axis.Time]) extends TimeAssigner {

  def place(state: KeyWindows, message: Incoming, time: Long, before: Reach): Assignment =
    if (before.watermark.reached(plus(time, 1), lateness)) Assignment.TooLate
    else {
      val stored  = message.stored(time)
      val own     = WindowId(time, plus(time, 1), message = Some(stored.position))
      val opened  = state.rows.get(own).getOrElse(held(state, stored).foldLeft(WindowRow.opened(own))(_ counting _))
      val holding = later(state, own).filterNot(row => WindowId.Order.equiv(row.id, own))
      val counted = (opened +: holding).map(_.counting(stored))
      Assignment.Enter(if (kind == Over.Everything) counted.map(unprotected) else counted, Some(own))
    }

  /** Stored messages that the window of one holds beside it. */
  private def held(state: KeyWindows, one: StoredMessage): Iterator[StoredMessage] = kind match {
    case Over.Range(range) => state.messages.range(Axis.Time, Some(minus(one.time, range.micros)), Some(one.time))
    case Over.Rows(rows)   => upTo(state, one, rows - 1).iterator
    case Over.Everything   => state.messages.range(Axis.Time, None, Some(one.time))
  }

  private def upTo(state: KeyWindows, one: StoredMessage, newest: Long): Vector[StoredMessage] =
    state.messages.before(one).take(math.min(newest, Int.MaxValue.toLong).toInt).toVector.reverse

  /** Windows of other messages that take it; none of them is closed, since they end no earlier. */
  private def later(state: KeyWindows, own: WindowId): Vector[WindowRow] = kind match {
    case Over.Range(range) =>
      state.rows.from(own.copy(message = None)).takeWhile(_.start < plus(own.end, range.micros)).toVector
    case Over.Rows(rows) => state.rows.from(own).take(math.min(rows - 1, Int.MaxValue.toLong).toInt).toVector
    case Over.Everything => state.rows.from(own.copy(message = None)).toVector
  }

  /** A window of everything before protects its own message alone, or nothing would ever leave. */
  private def unprotected(row: WindowRow): WindowRow = row.copy(oldest = row.start)

  private def ownMessage(id: WindowId): StoredMessage = id.message.getOrElse(throw new DamagedStateError(
    ErrorConditions.message("STATE_DAMAGED.WINDOW", "start" -> id.start, "end" -> id.end)))

  override def shownStart(id: WindowId, state: KeyWindows): Long = kind match {
    case Over.Range(range) => minus(id.start, range.micros)
    case Over.Rows(rows)   => upTo(state, ownMessage(id), rows - 1).headOption.fold(id.start)(_.time)
    case Over.Everything   => state.messages.oldest.fold(id.start)(first => math.min(first.time, id.start))
  }
}
