package windrow.core.store

import scala.collection.mutable.{ArrayBuffer, ArrayDeque}
import scala.collection.{AbstractIterator, IndexedSeq}
import windrow.core.state.{ByteReader, ByteWriter, Codec, FirstIndex, RootBlocks, Segments, Summaries}
import windrow.core.time.{Axis, EventTime, Position}

/** Messages in order, in pieces of neighbors: a B+-tree of height two whose root is this object.
  *
  * Only touched pieces are read, and only changed ones are written; a small run is stored in its root. Pieces are split
  * as they grow, so a message costs the logarithm of the run, however many arrive in one step. The size of pieces grows
  * with their number, so that the root, which each step reads, grows with the square root of the run. At most
  * `heldBytes` of messages are in memory: beyond that, changed pieces are written, and all pieces are read again when
  * needed. Messages removed by retention are hidden at once and deleted piece by piece (SEMANTICS R11).
  *
  * @param order
  *   orders by event time first. Messages that are equal in it differ only in whether they are settled; settled ones
  *   precede the others
  * @param tells
  *   the root stores the totals of pieces, so that [[totals]] does not read them
  */
private[core] final class MessageRun(
    order: Ordering[StoredMessage],
    codec: Codec[StoredMessage],
    segments: Segments,
    segmentBytes: Int = 4096,
    heldBytes: Long = 16L << 20,
    tells: Boolean = false) {
  import MessageRun._

  private val pieces = new ArrayDeque[MessagePiece]
  private val root   = new RootBlocks(segments)

  /** Number of messages that are not settled. */
  private val unsettled = new Summaries[Int](pieces.size, pieces(_).unsettled, _ + _)

  private val totals = new Summaries[Totals](pieces.size, totalsOf, _ and _)

  /** Number of removed messages at the front; all of them are in the first piece. */
  private var hidden = 0

  /** Number of messages in all pieces. */
  private var total = 0L

  /** Approximate number of bytes of messages in memory. */
  private var held = 0L

  /** Number of messages, without the removed ones. */
  def size: Long = total - hidden

  def isEmpty: Boolean = size == 0

  /** Exact number of bytes of messages in memory. */
  private[store] def inMemory: Long = pieces.iterator.map(_.held).sum

  def add(message: StoredMessage): Unit = {
    val at = pieceOf(message)
    if (at < 0 || at == pieces.size - 1 && isFullBefore(message)) {
      val piece = MessagePiece.of(ArrayBuffer(message))
      pieces += piece
      changed(pieces.size - 1)
      hold(piece, piece.held)
    } else {
      if (at == 0 && hidden > 0) dropHidden()
      val piece  = loaded(at)
      val before = piece.held
      piece.insert(placeOf(piece, message), message)
      changed(at)
      hold(piece, piece.held - before)
      if (piece.count > 1 && piece.isHeavierThan(2 * pieceBytes)) {
        pieces.insert(at + 1, piece.split())
        if (at + 2 == pieces.size) changed(at + 1)
        else Seq(unsettled, totals).foreach(_.moved())
      }
    }
    total += 1
  }

  private def changed(at: Int): Unit = {
    unsettled.changed(at)
    totals.changed(at)
  }

  /** Whether the last piece has its size and ends before the message, so that messages in order fill one piece after
    * another.
    */
  private def isFullBefore(message: StoredMessage): Boolean = {
    val last = loaded(pieces.size - 1)
    last.isHeavierThan(pieceBytes) && standsBefore(last(last.count - 1), message)
  }

  private def pieceBytes: Int = math.max(segmentBytes, pieces.size * BytesForEach)

  /** Whether a stored message precedes a new one. */
  private def standsBefore(kept: StoredMessage, message: StoredMessage): Boolean = {
    val compared = order.compare(kept, message)
    compared < 0 || compared == 0 && (kept.isSettled || !message.isSettled)
  }

  /** The index of the piece for a message; -1 if there are none. */
  private def pieceOf(message: StoredMessage): Int =
    if (pieces.isEmpty) -1
    else math.max(0, FirstIndex.where(pieces.size)(i => !standsBefore(pieces(i).first, message)) - 1)

  private def placeOf(piece: MessagePiece, message: StoredMessage): Int =
    FirstIndex.where(piece.count)(i => !standsBefore(piece(i), message))

  /** Messages with positions in a closed range, in the order of the run. A bound of None is open. Messages may be
    * settled during the iteration.
    */
  def range(axis: Axis, from: Option[Long], to: Option[Long]): Iterator[StoredMessage] = axis match {
    case Axis.Time =>
      val high = to.getOrElse(EventTime.Max)
      from.fold(new UpTo(high, 0, 0))(since(_, high))
    case Axis.Offset if from.isEmpty && to.isEmpty => all(0)
    case Axis.Offset =>
      val (low, high) = (from.getOrElse(Position.Least), to.getOrElse(Position.Greatest))
      pieces.indices.iterator.filter(pieces(_).mayHoldOffsets(low, high)).flatMap(inPiece(_, 0))
        .filter(_.offset.exists(at => low <= at && at <= high))
  }

  private def since(time: Long, high: Long): UpTo = {
    val at = pieceReaching(time)
    new UpTo(high, at, if (at == pieces.size || pieces(at).first.time > high) 0 else firstSince(loaded(at), time))
  }

  /** Messages up to a time, starting at an index of a piece. Pieces are read when the iteration reaches them. */
  private final class UpTo(high: Long, private var at: Int, private var place: Int)
      extends AbstractIterator[StoredMessage] {
    private var these: IndexedSeq[StoredMessage] = _ // of the current piece; valid even if it is released
    private var until                            = 0
    private var found: StoredMessage             = _

    def hasNext: Boolean = {
      if (found == null && seek()) {
        found = these(place)
        if (found.time > high) end()
        else place += 1
      }
      found != null
    }

    def next(): StoredMessage = if (hasNext) {
      val message = found
      found = null
      message
    } else Iterator.empty.next()

    private def seek(): Boolean = {
      while (at < pieces.size && (these == null || place >= until)) if (these == null) enter() else leave()
      at < pieces.size
    }

    private def enter(): Unit =
      if (pieces(at).first.time > high) end()
      else {
        val piece = loaded(at)
        these = piece.all
        until = piece.count
        if (at == 0) place = math.max(hidden, place)
      }

    private def leave(): Unit = {
      these = null
      at += 1
      place = 0
    }

    private def end(): Unit = {
      found = null
      at = Int.MaxValue
    }
  }

  private def pieceReaching(time: Long): Int = FirstIndex.where(pieces.size)(i => pieces(i).maxTime >= time)

  private def firstSince(piece: MessagePiece, time: Long): Int =
    FirstIndex.where(piece.count)(i => piece(i).time >= time)

  private def all(from: Int): Iterator[StoredMessage] = Iterator.range(from, pieces.size).flatMap(inPiece(_, 0))

  private def inPiece(at: Int, from: Int): Iterator[StoredMessage] = {
    val piece = loaded(at)
    piece.some(Iterator.range(if (at == 0) math.max(hidden, from) else from, piece.count))
  }

  /** Totals of the messages in a closed range of event time; without `from`, starting at the oldest. */
  def totals(from: Option[Long], to: Long): Totals = {
    val low           = from.fold(0)(pieceReaching)
    val high          = FirstIndex.where(pieces.size)(i => pieces(i).first.time > to)
    def some(at: Int) = Totals.of(inPiece(at, 0).filter(one => from.forall(_ <= one.time) && one.time <= to))
    if (low >= high) Totals.Nothing
    else if (low == high - 1) some(low)
    else totals.of(low + 1, high - 1).foldLeft(some(low))(_ and _).and(some(high - 1))
  }

  private def totalsOf(at: Int): Totals = {
    if (!pieces(at).knowsTotals) loaded(at)
    pieces(at).totals
  }

  /** Messages in a closed range of event time that are not settled. */
  def unsettled(from: Long, to: Long): Iterator[StoredMessage] =
    Iterator.unfold(pieceReaching(from)) { at =>
      Some(unsettled.first(at)(_ > 0)).filter(found => found >= 0 && pieces(found).first.time <= to)
        .map(found => (inPiece(found, 0), found + 1))
    }.flatten.filter(one => !one.isSettled && from <= one.time && one.time <= to)

  /** Messages before a position, in descending order. */
  def before(position: StoredMessage): Iterator[StoredMessage] = {
    val at = FirstIndex.where(pieces.size)(i => !order.lt(pieces(i).first, position)) - 1
    Iterator.range(at, -1, -1).flatMap { i =>
      val piece = loaded(i)
      val until = if (i < at) piece.count else FirstIndex.where(piece.count)(j => !order.lt(piece(j), position))
      piece.some(Iterator.range(until - 1, (if (i == 0) hidden else 0) - 1, -1))
    }
  }

  def oldest: Option[StoredMessage] = Option.when(!isEmpty)(next)

  /** Event time of the oldest message. */
  def oldestTime: Option[Long] = Option.when(!isEmpty)(if (hidden == 0) pieces(0).first.time else next.time)

  /** A lower bound of the event times at or after `time`; exact if the piece of the first such message is read. None if
    * such a message does not exist.
    */
  def nextTime(time: Long): Option[Long] = {
    val at = pieceReaching(time)
    Option.when(at < pieces.size) {
      val piece = pieces(at)
      if (piece.isRead) inPiece(at, firstSince(piece, time)).next().time else math.max(time, piece.first.time)
    }
  }

  /** Settles a stored message, or one that is equal to it. */
  def settle(message: StoredMessage): Unit = {
    val settled = message.copy(isSettled = true)
    val at      = pieceOf(settled)
    val place   = math.max(placeOf(loaded(at), settled), if (at == 0) hidden else 0)
    Iterator((at, place), (at + 1, 0)).find { case (at, index) =>
      at < pieces.size && index < pieces(at).count && isOpen(loaded(at)(index), message)
    }.foreach { case (at, index) =>
      pieces(at).update(index, settled)
      unsettled.changed(at)
    }
  }

  private def isOpen(kept: StoredMessage, message: StoredMessage): Boolean =
    !kept.isSettled && order.equiv(kept, message)

  /** Removes the oldest messages as long as one meets `leaves`; if one meets it, all earlier ones are removed, too.
    * Complete pieces are removed without reading them.
    *
    * @param leaves
    *   of the event time of a message, and of the number of messages from this one on
    * @return
    *   number of removed messages
    */
  def retire(leaves: (Long, Long) => Boolean): Long = {
    val before = size
    while (pieces.nonEmpty && leaves(pieces(0).maxTime, size - pieces(0).count + hidden + 1)) dropPiece()
    while (leaving(leaves).isDefined) dropOldest()
    before - size
  }

  /** The oldest message, if it meets `leaves`. */
  def leaving(leaves: (Long, Long) => Boolean): Option[StoredMessage] =
    oldest.filter(message => leaves(message.time, size))

  def dropOldest(): Unit = {
    next // reads the piece if necessary
    hidden += 1
    if (hidden == pieces(0).count) dropPiece()
  }

  private def next: StoredMessage = loaded(0)(hidden)

  private def dropPiece(): Unit = {
    val piece = pieces.removeHead()
    Seq(unsettled, totals).foreach(_.droppedFirst())
    if (piece.id != MessagePiece.Inside) segments.remove(piece.id)
    total -= piece.count
    hidden = 0
    if (pieces.isEmpty) root.clear()
  }

  private def dropHidden(): Unit = {
    loaded(0).dropFront(hidden)
    changed(0)
    total -= hidden
    hidden = 0
  }

  /** Removes all messages. */
  def clear(): Unit = while (pieces.nonEmpty) dropPiece()

  private def loaded(at: Int): MessagePiece = {
    val piece = pieces(at)
    if (!piece.isRead) {
      piece.read(segments, codec)
      hold(piece, piece.held)
    }
    piece
  }

  /** Records more bytes in memory, and releases all other pieces if there are too many. */
  private def hold(piece: MessagePiece, more: Long): Unit = {
    held += more
    if (held > heldBytes) {
      pieces.foreach(other => if (other.isRead && (other ne piece)) letGo(other))
      held = piece.held
    }
  }

  private def letGo(piece: MessagePiece): Unit = {
    if (piece.changed) store(piece)
    if (piece.id != MessagePiece.Inside) piece.forget()
  }

  // ---- bytes

  /** Writes the changed pieces, and the root to `out`. */
  def write(out: ByteWriter): Unit = {
    if (hidden > 0 && pieces(0).changed) dropHidden()
    pieces.foreach(piece => if (piece.changed) store(piece))
    out.count(hidden.toLong)
    root.write(pieces, (piece: MessagePiece) => piece.id, out)(_.write(_, codec, tells))
  }

  private def store(piece: MessagePiece): Unit = ByteWriter.lent { out =>
    piece.writeMessages(out, codec)
    if (pieces.size == 1 && out.size <= InsideBytes) {
      if (piece.id != MessagePiece.Inside) segments.remove(piece.id)
      piece.id = MessagePiece.Inside
    } else {
      if (piece.id == MessagePiece.Inside) piece.id = segments.newId()
      segments.write(piece.id, out)
    }
    piece.changed = false
  }

  def read(in: ByteReader): Unit = {
    hidden = in.count().toInt
    pieces ++= root.read(in, (piece: MessagePiece) => piece.id)(MessagePiece.read(_, codec))
    total = pieces.iterator.map(_.count.toLong).sum
    if (hidden != 0 && (hidden < 0 || !pieces.headOption.exists(_.count > hidden)))
      throw in.damaged(s"$hidden removed messages are not in its first piece")
  }
}

private[core] object MessageRun {
  private val InsideBytes = 1024

  /** The size of a piece is at least this times the number of pieces, which is an eighth of the root. */
  private val BytesForEach = 8
}
