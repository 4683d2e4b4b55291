package windrow.core.store

import scala.collection.IndexedSeq
import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{ByteReader, ByteWriter, Codec, Segments}
import windrow.core.time.{EventTime, Position}

/** Neighboring messages of a [[MessageRun]]: one segment and a summary in the root, which is available without reading
  * it.
  *
  * @param id
  *   number of the segment, or [[MessagePiece.Inside]] if the messages are in the root
  */
private[store] final class MessagePiece(var id: Long) {
  import MessagePiece._

  private var messages: ArrayBuffer[StoredMessage] = _

  /** Approximate memory use of the messages in bytes, once they are read. */
  private var weight = 0L

  var changed              = false
  var count                = 0
  var first: StoredMessage = _ // at least its position
  var maxTime              = EventTime.Min

  /** Number of messages that are not settled. */
  var unsettled = 0

  /** Totals of all messages; null if they are unknown without reading the messages. */
  private var told: Totals = _

  private var minOffset = Position.Greatest
  private var maxOffset = Position.Least

  def isRead: Boolean = messages != null

  def read(segments: Segments, codec: Codec[StoredMessage]): Unit = {
    messages = segments.read(id)(in => ArrayBuffer.fill(in.fitting(count.toLong))(codec.read(in)))
    weight = messages.iterator.map(weigh).sum
  }

  /** Releases the messages from memory; all of them must be in the segment. */
  def forget(): Unit = {
    messages = null
    weight = 0
  }

  /** Memory use in bytes. */
  def held: Long = weight

  // ---- requires that the messages are read

  def apply(index: Int): StoredMessage = messages(index)

  /** The messages, valid even if the piece is released meanwhile. */
  def all: IndexedSeq[StoredMessage] = messages

  /** The messages at some indexes, valid even if the piece is released meanwhile. */
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

  /** Replaces a message by another at the same position. */
  def update(index: Int, by: StoredMessage): Unit = {
    if (by.isSettled && !messages(index).isSettled) unsettled -= 1
    messages(index) = by
    changed = true
    first = messages(0)
  }

  def dropFront(some: Int): Unit = hold(messages.drop(some))

  /** Totals of all messages. They must be known or the piece must be read. */
  def totals: Totals = {
    if (told == null) told = Totals.of(messages.iterator)
    told
  }

  def knowsTotals: Boolean = told != null || isRead

  /** Keeps the first half and returns the second. */
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

  // ---- does not require that the messages are read

  def mayHoldOffsets(low: Long, high: Long): Boolean = minOffset <= high && maxOffset >= low

  def writeMessages(out: ByteWriter, codec: Codec[StoredMessage]): Unit = messages.foreach(codec.write(_, out))

  /** Writes its entry of the root.
    *
    * @param tells
    *   also write its totals, unless they cover too many source partitions
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

  /** The number of a piece whose messages are in the root. */
  val Inside = 0L

  private val Overhead = 40

  /** Maximum number of source partitions for which the root stores offsets. */
  private val MostTold = 4

  private val Told = Codec.option(Totals)

  private def weigh(message: StoredMessage): Long =
    Overhead.toLong + message.payload.length + message.key.bytes.length + message.origin.fold(0)(_.source.length)

  def of(messages: ArrayBuffer[StoredMessage]): MessagePiece = {
    val piece = new MessagePiece(Inside)
    piece.hold(messages)
    piece
  }

  /** Reads the entry of a root. */
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
      in.long(): Unit // the time of the first message
      piece.maxTime = in.long()
      piece.minOffset = in.long()
      piece.maxOffset = in.long()
      piece.unsettled = in.count().toInt
      piece.told = Told.read(in).orNull
      piece
    }
  }
}
