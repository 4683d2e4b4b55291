package windrow.spark.packet

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import windrow.Timing
import windrow.core.operator.{Entry, IncomingPane, Origin, SessionMark}
import windrow.core.state.{ByteReader, ByteWriter, Key}
import windrow.core.store.{Incoming, OriginCodec}
import windrow.spark.rows.Rows

/** The format of an entry in a packet: a few primitive fields and byte strings in sequence. */
object EntryCodec {
  import PacketFlag._

  /** Bits that list the fields that only some kinds of windows need. */
  private val IsPane = 1
  private val IsMark = 2

  /** Writes an entry.
    *
    * @param raw
    *   the original row, or null
    * @param order
    *   the row's place in the order of its step, or null if the order does not affect the result
    */
  def write(
      out: ByteWriter,
      key: UnsafeRow,
      time: Option[Long],
      value: Long,
      count: Long,
      buffer: UnsafeRow,
      raw: UnsafeRow,
      origin: Option[Origin],
      pane: Option[IncomingPane],
      mark: Option[SessionMark],
      order: Array[Byte]): Unit = {
    out.byte(
      (if (time.isDefined) Time else 0) | (if (raw != null) Raw else 0) | (if (origin.isDefined) Sender else 0) |
        (if (pane.isDefined || mark.isDefined) More else 0) | (if (order != null) Order else 0))
    time.foreach(out.long)
    out.count(value)
    out.count(count)
    Rows.write(key, out)
    Rows.write(buffer, out)
    if (raw != null) Rows.write(raw, out)
    origin.foreach(OriginCodec.write(_, out))
    if (pane.isDefined || mark.isDefined) {
      out.byte((if (pane.isDefined) IsPane else 0) | (if (mark.isDefined) IsMark else 0))
      pane.foreach(write(out, _))
      mark.foreach(write(out, _))
    }
    if (order != null) out.bytes(order)
  }

  /** Writes an entry without other fields.
    *
    * @param hasTime
    *   if false, `time` is meaningless
    */
  def write(
      out: ByteWriter,
      key: UnsafeRow,
      hasTime: Boolean,
      time: Long,
      value: Long,
      count: Long,
      buffer: UnsafeRow,
      raw: UnsafeRow): Unit = {
    out.byte((if (hasTime) Time else 0) | (if (raw != null) Raw else 0))
    if (hasTime) out.long(time)
    out.count(value)
    out.count(count)
    Rows.write(key, out)
    Rows.write(buffer, out)
    if (raw != null) Rows.write(raw, out)
  }

  private def write(out: ByteWriter, pane: IncomingPane): Unit = {
    out.long(pane.start)
    out.long(pane.end)
    out.byte(pane.timing.code.toInt)
    out.byte(if (pane.isRetraction) 1 else 0)
    out.bytes(pane.content.bytes)
  }

  private def write(out: ByteWriter, mark: SessionMark): Unit = {
    out.byte(if (mark.ends) 1 else 0)
    out.bytes(mark.values.bytes)
  }

  private def mark(in: ByteReader): SessionMark = in.decode(in => SessionMark(in.byte() == 1, new Key(in.bytes())))

  private def pane(in: ByteReader): IncomingPane = in.decode { in =>
    IncomingPane(in.long(), in.long(), Timing(in.byte()), in.byte() == 1, new Key(in.bytes()))
  }

  /** Reads the rows of a packet whose rows have no buffers. */
  def messages(packet: Array[Byte]): Iterator[Incoming] =
    read[Unit, Unit](packet, in => { in.skipBytes(); () }, (_, nothing) => nothing)
      .map(entry => Incoming(entry.key, entry.time, entry.origin, entry.raw))

  /** Reads the entries of a packet.
    *
    * @param buffer
    *   reads the buffers of a single row
    * @param ordered
    *   combines them with the row's place in the order
    */
  def read[L, B](packet: Array[Byte], buffer: ByteReader => L, ordered: (Array[Byte], L) => B): Iterator[Entry[B]] = {
    val in = ByteReader(packet)
    new Iterator[Entry[B]] {
      def hasNext: Boolean = in.hasNext
      def next(): Entry[B] = {
        val flags    = in.byte().toInt
        val time     = if ((flags & Time) != 0) Some(in.long()) else None
        val value    = in.count()
        val count    = in.count()
        val key      = new Key(in.bytes())
        val lifted   = buffer(in)
        val raw      = if ((flags & Raw) != 0) in.bytes() else null
        val origin   = if ((flags & Sender) != 0) Some(OriginCodec.read(in)) else None
        val more     = if ((flags & More) != 0) in.byte().toInt else 0
        val incoming = if ((more & IsPane) != 0) Some(pane(in)) else None
        val marked   = if ((more & IsMark) != 0) Some(mark(in)) else None
        val order    = if ((flags & Order) != 0) in.bytes() else null
        Entry(key, time, value, count, ordered(order, lifted), raw, origin, incoming, marked)
      }
    }
  }
}
