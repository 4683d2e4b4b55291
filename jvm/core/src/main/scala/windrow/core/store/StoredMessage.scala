package windrow.core.store

import java.nio.ByteBuffer
import java.util.Arrays
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key}
import windrow.core.time.Position
import windrow.{Positions, WindowKind}

/** A message, which is one input row, on its way into an operator.
  *
  * Key and payload are bytes in the engine's own format, and the core interprets neither, so nothing is converted row
  * by row. Spark passes the bytes of its UnsafeRows, and converts an Arrow batch from Python to such rows and back with
  * its own generated code; a Scala operator writes them with a codec.
  *
  * @param time
  *   event time in microseconds; None if the message has none
  * @param origin
  *   identity of the message; without it duplicates are not recognized. In a join its source is the stream's name
  * @param value
  *   value for its windows, if each message has its own
  */
final case class Incoming(
    key: Key,
    time: Option[Long],
    origin: Option[Origin],
    payload: Array[Byte],
    value: Option[Long] = None) {

  /** Bytes whose unsigned order is the order of messages of one key by event time. Not for windows on offsets. */
  private[windrow] def position: Array[Byte] = {
    val order = origin.fold(Array[Byte](0))(1.toByte +: _.order)
    val at    = ByteBuffer.allocate(9 + order.length + payload.length)
    at.put((if (time.isDefined) 1 else 0).toByte).putLong(Position.unsigned(time.getOrElse(0L))).put(order).put(payload)
    at.array
  }

  private[core] def stored(time: Long): StoredMessage = StoredMessage(key, time, origin, payload)
}

object Incoming {

  /** The order in which the messages of one step are applied (SEMANTICS T3). */
  def order(window: WindowKind): Ordering[Incoming] = if (window.bounds == Positions) ByPosition else ByTime

  private val ByTime: Ordering[Incoming] = Ordering.by[Incoming, Option[Long]](_.time)
    .orElse(Ordering.by[Incoming, Option[Origin]](_.origin)(StoredMessage.Origins))
    .orElse((a, b) => Arrays.compareUnsigned(a.key.bytes, b.key.bytes))
    .orElse((a, b) => Arrays.compareUnsigned(a.payload, b.payload))

  /** Orders each source partition by offset. */
  private val ByPosition: Ordering[Incoming] =
    Ordering.by[Incoming, Option[Origin]](_.origin)(StoredMessage.Origins).orElse(ByTime)
}

/** A message in a store.
  *
  * @param isSettled
  *   in an outer join: it has a partner, or was emitted without one; in full state: a window will emit it
  */
final case class StoredMessage(
    key: Key,
    time: Long,
    origin: Option[Origin],
    payload: Array[Byte],
    isSettled: Boolean = false) {

  /** Approximate memory use in bytes; a field, because pages add it up each time they change. */
  private[store] val weight: Int = {
    val source = if (origin.isEmpty) 0 else origin.get.source.length
    math.min(StoredMessage.Overhead + payload.length + key.bytes.length + source, Int.MaxValue.toLong).toInt
  }

  private[core] def offset: Option[Long] = origin.map(_.offset)

  /** A message with just enough contents to be compared by [[StoredMessage.Order]]. */
  private[core] def position: StoredMessage = if (origin.isEmpty) this else copy(payload = Array.emptyByteArray)
}

object StoredMessage {
  private[core] val Origins: Ordering[Option[Origin]] = Ordering.Option(Origin.Order)

  /** Orders by (time, source, partition, offset); messages without origin are ordered by payload. */
  val Order: Ordering[StoredMessage] = (a, b) =>
    if (a.time != b.time) java.lang.Long.compare(a.time, b.time)
    else if (a.origin.isDefined || b.origin.isDefined) Origins.compare(a.origin, b.origin)
    else Arrays.compareUnsigned(a.payload, b.payload)

  /** Orders by offset, then by source and partition. */
  val OffsetOrder: Ordering[StoredMessage] =
    Ordering.by[StoredMessage, Option[Long]](_.offset).orElse(Ordering.by[StoredMessage, Option[Origin]](_.origin)(
      Origins))

  private val Overhead = 40L

  private val Settled = 1; private val HasOrigin = 2

  /** @param key
    *   the common key of all messages, which is then not written
    */
  private[core] def codec(key: Option[Key]): Codec[StoredMessage] = new Codec[StoredMessage] {
    def write(message: StoredMessage, out: ByteWriter): Unit = {
      out.byte((if (message.isSettled) Settled else 0) | (if (message.origin.isDefined) HasOrigin else 0))
      if (key.isEmpty) out.bytes(message.key.bytes)
      out.long(message.time)
      message.origin.foreach(OriginCodec.write(_, out))
      out.bytes(message.payload)
    }

    def read(in: ByteReader): StoredMessage = {
      val flags  = in.byte()
      val own    = key.getOrElse(new Key(in.bytes()))
      val time   = in.long()
      val origin = Option.when((flags & HasOrigin) != 0)(OriginCodec.read(in))
      StoredMessage(own, time, origin, in.bytes(), (flags & Settled) != 0)
    }
  }
}
