package windrow.core.store

import scala.collection.IndexedSeq
import scala.collection.mutable.ArrayBuffer
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.Segments
import windrow.core.time.EventTime
import windrow.core.time.Position

/** Neighbours of a [[MessageRun]]: a segment, and what the root knows of it unread.
  *
  * @param id
  *   of the segment; [[MessagePiece.Inside]]: none yet, it is written into the root
  */
private[store] final class MessagePiece(var id: Long) {
  import MessagePiece._

  private var messages: ArrayBuffer[StoredMessage] = _

  /** About how many bytes its messages take, once they are read. */
  private var weight = 0L

  var changed              = false
  var count                = 0
  var first: StoredMessage = _ // at least its position
  var maxTime              = EventTime.Min

  /** Messages that are not settled. */
  var unsettled = 0

  /** Of all messages; null: not known without reading them. */
  private var told: Totals = _

  private var minOffset = Position.Greatest
  private var maxOffset = Position.Least

  def isRead: Boolean = messages != null

  def read(segments: Segments, codec: Codec[StoredMessage]): Unit = {
    messages = segments.read(id)(in => ArrayBuffer.fill(in.fitting(count.toLong))(codec.read(in)))
    weight = messages.iterator.map(weigh).sum
  }

  /** Lets go of its messages, which are all in its segment. */
  def forget(): Unit = {
    messages = null
    weight = 0
  }

  /** Bytes of memory. */
  def held: Long = weight

  // ---- of a piece that is read

  def apply(index: Int): StoredMessage = messages(index)

  /** They stay, even if the piece is let go of meanwhile. */
  def all: IndexedSeq[StoredMessage] = messages

  /** Those of some places; they stay, even if the piece is let go of meanwhile. */
  def some(places: Iterator[Int]): Iterator[StoredMessage] = {
    val these = messages
    places.map(these(_))
  }

  def isHeavierThan(bytes: Int): Boolean = weight > bytes

  def insert(index: Int, message: StoredMessage): Unit = {
    messages.insert(index, message)
    weight += weigh(message)
    changed = true
    told = null
    include(message)
  }

  /** Puts another in the place of a message that is at the same position. */
  def update(index: Int, by: StoredMessage): Unit = {
    if (by.isSettled && !messages(index).isSettled) unsettled -= 1
    messages(index) = by
    changed = true
    first = messages(0)
  }

  def dropFront(some: Int): Unit = hold(messages.drop(some))

  /** What all of its messages have in common, if it is known or the piece is read. */
  def totals: Totals = {
    if (told == null) told = Totals.of(messages.iterator)
    told
  }

  def knowsTotals: Boolean = told != null || isRead

  /** Keeps the first half and gives the second. */
  def split(): MessagePiece = {
    val (front, back) = messages.splitAt(count / 2)
    hold(front)
    MessagePiece.of(back)
  }

  private def hold(some: ArrayBuffer[StoredMessage]): Unit = {
    messages = some
    changed = true
    told = null
    count = 0
    unsettled = 0
    weight = 0
    maxTime = EventTime.Min
    minOffset = Position.Greatest
    maxOffset = Position.Least
    some.foreach { message =>
      weight += weigh(message)
      include(message)
    }
  }

  private def include(message: StoredMessage): Unit = {
    count += 1
    if (!message.isSettled) unsettled += 1
    first = messages(0)
    maxTime = math.max(maxTime, message.time)
    message.origin.foreach { from =>
      minOffset = math.min(minOffset, from.offset)
      maxOffset = math.max(maxOffset, from.offset)
    }
  }

  // ---- unread

  def mayHoldOffsets(low: Long, high: Long): Boolean = minOffset <= high && maxOffset >= low

  def writeMessages(out: ByteWriter, codec: Codec[StoredMessage]): Unit = messages.foreach(codec.write(_, out))

  /** Into the root.
    *
    * @param tells
    *   the root knows its totals, too, unless they are of many source partitions
    */
  def write(out: ByteWriter, codec: Codec[StoredMessage], tells: Boolean): Unit = {
    out.count(id)
    out.count(count.toLong)
    if (id == Inside) writeMessages(out, codec)
    else {
      codec.write(first.position, out)
      Seq(first.time, maxTime, minOffset, maxOffset).foreach(out.long)
      out.count(unsettled.toLong)
      Told.write(Option.when(tells && (told != null || isRead))(totals).filter(_.offsets.size <= MostTold), out)
    }
  }
}

private[store] object MessagePiece {

  /** The number of a piece that lives inside the root. */
  val Inside = 0L

  private val Overhead = 40

  /** The root tells the offsets of so many source partitions. */
  private val MostTold = 4

  private val Told = Codec.option(Totals)

  private def weigh(message: StoredMessage): Long =
    Overhead.toLong + message.payload.length + message.key.bytes.length + message.origin.fold(0)(_.source.length)

  def of(messages: ArrayBuffer[StoredMessage]): MessagePiece = {
    val piece = new MessagePiece(Inside)
    piece.hold(messages)
    piece
  }

  /** Of a root. */
  def read(in: ByteReader, codec: Codec[StoredMessage]): MessagePiece = {
    val (id, count) = (in.count(), in.count().toInt)
    if (count < 1) throw in.damaged(s"a piece has $count messages")
    if (id == Inside) {
      val piece = of(ArrayBuffer.fill(in.fitting(count.toLong))(codec.read(in)))
      piece.changed = false
      piece
    } else {
      val piece = new MessagePiece(id)
      piece.count = count
      piece.first = codec.read(in)
      in.long(): Unit // the time of the first
      piece.maxTime = in.long()
      piece.minOffset = in.long()
      piece.maxOffset = in.long()
      piece.unsettled = in.count().toInt
      piece.told = Told.read(in).orNull
      piece
    }
  }
}
