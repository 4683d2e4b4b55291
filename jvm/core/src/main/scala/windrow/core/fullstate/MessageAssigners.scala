package windrow.core.fullstate

import windrow.ErrorConditions
import windrow.WindowFamily._
import windrow.core.state.DamagedStateError
import windrow.core.store.{Incoming, StoredMessage, WindowId, WindowRow}
import windrow.core.time.Position.{minus, plus}
import windrow.core.time.{Axis, Distance, EventTime, Position}

/** Windows determined by the stored messages (`Sliding`, KIP-450). A message creates at most three, however many
  * messages its key has. It also belongs to existing windows without being counted in them: it is stored at least as
  * long as they accept messages, and they count when they close.
  */
private final class SlidingAssigner(size: Long, granularity: Long, val lateness: Distance[Axis.Time])
    extends TimeAssigner {
  private def floor(time: Long): Long = Position.floor(time, granularity)

  private def id(start: Long): WindowId = WindowId(start, plus(start, size + 1))

  /** The last instant of a position. */
  private def lastOf(position: Long): Long = plus(position, granularity - 1)

  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment = {
    val at                            = floor(time)
    def isOpen(id: WindowId): Boolean = !before.watermark.reached(id.end, lateness)
    if (!isOpen(id(at))) Assignment.TooLate
    else {
      val made  = brought(state, message, at).distinct.sorted.map(id).filter(isOpen).filter(state.rows.get(_).isEmpty)
      val open  = math.max(minus(at, size), minus(before.watermark.leaves(lateness), size))
      val known = state.rows.from(WindowId(open, EventTime.Min)).takeWhile(_.start <= at).map(_.id).find(isOpen)
      Assignment.Acceptance(
        made.map(id => WindowRow.opened(id, oldest = id.start)),
        (known ++ made.filter(holds(_, time))).minOption,
        found = found(state, made))
    }
  }

  private def holds(id: WindowId, time: Long): Boolean = id.start <= floor(time) && floor(time) < id.end

  /** Starts of the windows that a message at a new position creates: its own two, and the one after the previous
    * position if that was empty. Of windows with the same content only the first exists, so its own may already have
    * been created by another message.
    */
  private def brought(state: KeyWindows, message: Incoming, at: Long): Seq[Long] = {
    def isThere(position: Long) = range(state, position, lastOf(position)).hasNext
    if (isThere(at)) Nil
    else {
      val previous = state.messages.before(StoredMessage(message.key, at, None, Array.emptyByteArray)).nextOption()
        .map(one => floor(one.time)).filter(_ >= minus(at, size))
      val next     = range(state, plus(at, granularity), EventTime.Max).nextOption().map(one => floor(one.time))
      val left     = Option.unless(previous.isDefined && isThere(minus(at, size + granularity)))(minus(at, size))
      val right    = plus(at, granularity)
      val hasRight = next.exists(_ <= plus(right, size)) && !isThere(plus(right, size))
      val filled   = previous.map(plus(_, granularity)).filter(start => next.forall(_ > plus(start, size)))
      Seq(left, Option.when(hasRight)(right), filled).flatten
    }
  }

  private def range(state: KeyWindows, from: Long, to: Long): Iterator[StoredMessage] =
    state.messages.range(Axis.Time, Some(from), Some(to))

  /** Stored messages without a window that the created windows contain. A message may be accepted only for future
    * windows (SEMANTICS R47).
    */
  private def found(state: KeyWindows, made: Seq[WindowId]): Seq[(StoredMessage, WindowId)] =
    if (made.isEmpty) Nil
    else state.messages.unsettled(made.head.start, lastIn(made.last))
      .flatMap(one => made.find(holds(_, one.time)).map(one -> _)).toVector

  private def lastIn(id: WindowId): Long = lastOf(plus(id.start, size))

  override def countsStored: Boolean = true

  override def counted(row: WindowRow, state: KeyWindows): WindowRow =
    WindowAssigner.counting(row, state, Some(row.start), lastIn(row.id))
}

/** One window for each message; a message is emitted with its own window (SEMANTICS R43). */
private final class OverAssigner(family: MessageWindows, val lateness: Distance[Axis.Time]) extends TimeAssigner {

  def place(state: KeyWindows, message: Incoming, time: Long, before: AxisProgress): Assignment =
    if (before.watermark.reached(plus(time, 1), lateness)) Assignment.TooLate
    else {
      val stored = message.stored(time)
      val own    = WindowId(time, plus(time, 1), message = Some(stored.position))
      val known  = state.rows.get(own)
      val opened = known.getOrElse(open(state, own, stored))
      if (countsStored) Assignment.Acceptance(if (known.isEmpty) Seq(opened) else Nil, Some(own))
      else {
        val holding = later(state, own).filterNot(row => WindowId.Order.equiv(row.id, own))
        val counted = (opened +: holding).map(_.counting(stored))
        Assignment.Acceptance(if (family == MessageWindowsFromFirst) counted.map(unprotected) else counted, Some(own))
      }
    }

  /** Creates the window of a message with the stored messages that it contains, in addition to its own. */
  private def open(state: KeyWindows, own: WindowId, one: StoredMessage): WindowRow = family match {
    case MessageWindowsByTime(range) => WindowRow.opened(own, oldest = minus(own.start, range.micros))
    case MessageWindowsByCount(rows) => upTo(state, one, rows - 1).foldLeft(WindowRow.opened(own))(_ counting _)
    case MessageWindowsFromFirst     => WindowAssigner.counting(WindowRow.opened(own), state, None, own.start)
  }

  private def upTo(state: KeyWindows, one: StoredMessage, newest: Long): Vector[StoredMessage] =
    state.messages.before(one).take(math.min(newest, Int.MaxValue.toLong).toInt).toVector.reverse

  /** Windows of other messages that contain it. None of them is closed, because they do not end earlier. */
  private def later(state: KeyWindows, own: WindowId): Vector[WindowRow] = family match {
    case MessageWindowsByCount(rows) =>
      state.rows.from(own).take(math.min(rows - 1, Int.MaxValue.toLong).toInt).toVector
    case _: MessageWindowsByTime | MessageWindowsFromFirst => state.rows.from(own.copy(message = None)).toVector
  }

  /** A window that starts at the first message only protects its own message from retention; otherwise no message would
    * ever be removed.
    */
  private def unprotected(row: WindowRow): WindowRow = row.copy(oldest = row.start)

  /** All messages of a range are stored until it closes. */
  override val countsStored: Boolean = family match {
    case _: MessageWindowsByTime                            => true
    case _: MessageWindowsByCount | MessageWindowsFromFirst => false
  }

  override def counted(row: WindowRow, state: KeyWindows): WindowRow =
    if (countsStored) WindowAssigner.counting(row, state, Some(shownStart(row.id, state)), row.start) else row

  private def ownMessage(id: WindowId): StoredMessage = id.message.getOrElse(throw new DamagedStateError(
    ErrorConditions.message("STATE_DAMAGED.WINDOW", "start" -> id.start, "end" -> id.end)))

  override def shownStart(id: WindowId, state: KeyWindows): Long = family match {
    case MessageWindowsByTime(range) => minus(id.start, range.micros)
    case MessageWindowsByCount(rows) => upTo(state, ownMessage(id), rows - 1).headOption.fold(id.start)(_.time)
    case MessageWindowsFromFirst     => state.messages.oldest.fold(id.start)(first => math.min(first.time, id.start))
  }
}
