package windrow.core.store

import scala.collection.mutable.ArrayBuffer
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.Segments

/** Messages in order, in segments of neighbours: a B+-tree of height two whose root is this object.
  *
  * Only segments that are touched are read, only those that change are written; a small run lives inside its root.
  * What has left by retention is hidden at once and taken away segment by segment (SEMANTICS R11).
  */
private[core] final class MessageRun(
    order: Ordering[StoredMessage],
    codec: Codec[StoredMessage],
    segments: Segments,
    segmentBytes: Int = 4096) {
  import MessageRun._

  private val pieces = new ArrayBuffer[Piece]

  /** Messages at the front that have left; they are all in the first piece. */
  private var hidden = 0

  /** Messages in all pieces. */
  private var total = 0L

  /** Messages that have not left. */
  def size: Long = total - hidden

  def isEmpty: Boolean = size == 0

  def add(message: StoredMessage): Unit = {
    forgetHidden(message)
    val at    = lastIndexWhere(piece => order.lteq(piece.first, message)).max(0)
    val piece = if (pieces.isEmpty) newPiece() else pieces(at)
    val all   = loaded(piece)
    all.insert(placeOf(all, message), message)
    piece.changed = true
    piece.include(message)
    total += 1
  }

  /** A message can only come before what has left if messages bring their own gaps. */
  private def forgetHidden(message: StoredMessage): Unit =
    if (hidden > 0 && order.lt(message, loaded(pieces(0))(hidden))) dropFront(pieces(0), hidden)

  private def placeOf(all: ArrayBuffer[StoredMessage], message: StoredMessage): Int =
    firstIndex(all.size)(i => order.gt(all(i), message))

  /** Messages with positions in a closed range, in the order of the run; None: open. */
  def range(axis: Axis, from: Option[Long], to: Option[Long]): Iterator[StoredMessage] = {
    val (low, high) = (from.getOrElse(Long.MinValue), to.getOrElse(Long.MaxValue))
    val isOpen      = from.isEmpty && to.isEmpty
    pieces.iterator.zipWithIndex
      .filter { case (piece, _) => isOpen || piece.overlaps(axis, low, high) }
      .flatMap { case (piece, index) => loaded(piece).iterator.drop(if (index == 0) hidden else 0) }
      .filter(message => isOpen || positionOf(axis, message).exists(at => low <= at && at <= high))
  }

  /** In the order of queries (SEMANTICS R24). */
  def sorted(axis: Axis, from: Option[Long], to: Option[Long]): Vector[StoredMessage] =
    range(axis, from, to).toVector.sorted(axis match {
      case Axis.Time   => StoredMessage.Order
      case Axis.Offset => StoredMessage.OffsetOrder
    })

  def oldest: Option[StoredMessage] = Option.when(!isEmpty)(next)

  /** Puts another in the place of a message that has the same position. */
  def replace(old: StoredMessage, by: StoredMessage): Unit =
    Iterator.range(lastIndexWhere(piece => order.lteq(piece.first, old)), -1, -1).exists { i =>
      val all = loaded(pieces(i))
      val at  = all.indexWhere(_ eq old)
      if (at >= 0) {
        all(at) = by
        pieces(i).changed = true
        pieces(i).describe()
      }
      at >= 0
    }: Unit

  /** Lets go of the oldest messages, as long as one `leaves`; those before one that leaves do too.
    *
    * @param leaves
    *   of the time of a message, and of the number of messages from this one on
    * @param gone
    *   sees each of them; None: nobody needs to, so whole segments go unread
    * @return
    *   how many
    */
  def retire(leaves: (Long, Long) => Boolean, gone: Option[StoredMessage => Unit] = None): Long = {
    val before = size
    while (gone.isEmpty && pieces.nonEmpty && leaves(pieces(0).maxTime, size - pieces(0).count + hidden + 1))
      dropPiece()
    while (!isEmpty && leaves(next.time, size)) {
      gone.foreach(_(next))
      hidden += 1
      if (hidden == pieces(0).count) dropPiece()
    }
    before - size
  }

  private def next: StoredMessage = loaded(pieces(0))(hidden)

  private def dropPiece(): Unit = {
    if (pieces(0).id != Inside) segments.remove(pieces(0).id)
    total -= pieces.remove(0).count
    hidden = 0
  }

  private def dropFront(piece: Piece, count: Int): Unit = {
    loaded(piece).remove(0, count)
    total -= count
    hidden = 0
    piece.changed = true
    piece.describe()
  }

  /** Takes everything away. */
  def clear(): Unit = while (pieces.nonEmpty) dropPiece()

  // ---- pieces

  private def newPiece(): Piece = {
    val piece = new Piece(Inside)
    piece.messages = new ArrayBuffer
    pieces += piece
    piece
  }

  private def lastIndexWhere(holds: Piece => Boolean): Int = firstIndex(pieces.size)(i => !holds(pieces(i))) - 1

  private def loaded(piece: Piece): ArrayBuffer[StoredMessage] = {
    if (piece.messages == null) {
      val in = segments.read(piece.id)
      piece.messages = ArrayBuffer.fill(piece.count)(codec.read(in))
    }
    piece.messages
  }

  // ---- bytes

  /** Writes the segments that changed, and into `out` the root. */
  def write(out: ByteWriter): Unit = {
    if (hidden > 0 && pieces(0).changed) dropFront(pieces(0), hidden)
    val written = pieces.toVector.flatMap(piece => if (piece.changed) store(piece) else Seq(piece))
    pieces.clear()
    pieces ++= written
    out.count(pieces.size.toLong)
    out.count(hidden.toLong)
    pieces.foreach(_.write(out, codec))
  }

  private def store(piece: Piece): Seq[Piece] = {
    val out = new ByteWriter(segmentBytes * 2)
    val ends = piece.messages.map { message =>
      codec.write(message, out)
      out.size
    }
    if (pieces.size == 1 && out.size <= InsideBytes) {
      if (piece.id != Inside) segments.remove(piece.id)
      Seq(piece.under(Inside, piece.messages))
    } else cut(ends) match {
      case Seq(_) => Seq(storedAs(piece, piece.messages, if (piece.id == Inside) segments.newId() else piece.id, out))
      case groups =>
        if (piece.id != Inside) segments.remove(piece.id)
        groups.map { group =>
          out.clear()
          val some = piece.messages.slice(group.start, group.end)
          some.foreach(codec.write(_, out))
          storedAs(piece, some, segments.newId(), out)
        }
    }
  }

  private def storedAs(piece: Piece, some: ArrayBuffer[StoredMessage], id: Long, out: ByteWriter): Piece = {
    segments.write(id, out)
    piece.under(id, some)
  }

  /** Neighbours go together until they fill a segment.
    *
    * @param ends
    *   of the messages, in bytes
    */
  private def cut(ends: collection.IndexedSeq[Int]): Seq[Range] =
    if (ends.last <= 2 * segmentBytes) Seq(ends.indices)
    else {
      val starts =
        ends.indices.filter(i => i == 0 || ends(i - 1) / segmentBytes > (if (i == 1) 0 else ends(i - 2)) / segmentBytes)
      starts.zip(starts.tail :+ ends.size).map { case (from, until) => from until until }
    }

  def read(in: ByteReader): Unit = {
    val count = in.count().toInt
    hidden = in.count().toInt
    (0 until count).foreach(_ => pieces += Piece.read(in, codec))
    total = pieces.iterator.map(_.count.toLong).sum
  }
}

private[core] object MessageRun {

  /** The number of a piece that lives inside the root. */
  private val Inside      = 0L
  private val InsideBytes = 1024

  def positionOf(axis: Axis, message: StoredMessage): Option[Long] = axis match {
    case Axis.Time   => Some(message.time)
    case Axis.Offset => message.offset
  }

  /** The first index in `0 until size` at which a condition holds that holds from there on. */
  private def firstIndex(size: Int)(holds: Int => Boolean): Int = {
    var (low, high) = (0, size)
    while (low < high) {
      val middle = (low + high) / 2
      if (holds(middle)) high = middle else low = middle + 1
    }
    low
  }

  /** A segment, and what the root knows of it. */
  private final class Piece(val id: Long) {
    var messages: ArrayBuffer[StoredMessage] = _
    var changed                              = false
    var count                                = 0
    var first: StoredMessage                 = _
    var minTime, minOffset                   = Long.MaxValue
    var maxTime, maxOffset                   = Long.MinValue

    def describe(): Unit = if (messages.nonEmpty) {
      count = messages.size
      first = messages(0)
      minTime = messages.iterator.map(_.time).min
      maxTime = messages.iterator.map(_.time).max
      val offsets = messages.iterator.flatMap(_.offset).toArray
      minOffset = if (offsets.isEmpty) Long.MaxValue else offsets.min
      maxOffset = if (offsets.isEmpty) Long.MinValue else offsets.max
    }

    def include(message: StoredMessage): Unit = {
      count += 1
      first = messages(0)
      minTime = math.min(minTime, message.time)
      maxTime = math.max(maxTime, message.time)
      message.offset.foreach { offset =>
        minOffset = math.min(minOffset, offset)
        maxOffset = math.max(maxOffset, offset)
      }
    }

    def overlaps(axis: Axis, low: Long, high: Long): Boolean = axis match {
      case Axis.Time   => minTime <= high && maxTime >= low
      case Axis.Offset => minOffset <= high && maxOffset >= low
    }

    def under(id: Long, some: ArrayBuffer[StoredMessage]): Piece = {
      val piece = new Piece(id)
      piece.messages = some
      piece.describe()
      piece
    }

    def write(out: ByteWriter, codec: Codec[StoredMessage]): Unit = {
      out.count(id)
      out.count(count.toLong)
      if (id == Inside) messages.foreach(codec.write(_, out))
      else {
        codec.write(first.position, out)
        Seq(minTime, maxTime, minOffset, maxOffset).foreach(out.long)
      }
    }
  }

  private object Piece {
    def read(in: ByteReader, codec: Codec[StoredMessage]): Piece = {
      val piece = new Piece(in.count())
      piece.count = in.count().toInt
      if (piece.id == Inside) {
        piece.messages = ArrayBuffer.fill(piece.count)(codec.read(in))
        piece.describe()
      } else {
        piece.first = codec.read(in)
        piece.minTime = in.long()
        piece.maxTime = in.long()
        piece.minOffset = in.long()
        piece.maxOffset = in.long()
      }
      piece
    }
  }
}
