package windrow.core.operator

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.Key
import windrow.core.time.Position
import windrow.{SourcePartition, Timing}

/** The identity of a message, by which duplicates are recognized: its source partition and offset. */
final case class Origin(partition: SourcePartition, offset: Long) {
  def source: String = partition.source

  /** A copy whose source is a stream, unless it is already a source of that stream (SEMANTICS R42). */
  private[windrow] def in(stream: String): Origin =
    if (Origin.streamOf(source, Seq(stream)) == 0) this
    else copy(partition = partition.copy(source = Origin.sourceIn(stream, "")))

  /** Bytes whose unsigned order is by source, partition and offset. */
  def order: Array[Byte] = {
    val name = source.getBytes(UTF_8)
    ByteBuffer.allocate(name.length + 17)
      .put(name).put(0.toByte).putLong(Position.unsigned(partition.number)).putLong(Position.unsigned(offset)).array
  }
}

object Origin {
  def apply(source: String, partition: Long, offset: Long): Origin = Origin(SourcePartition(source, partition), offset)

  /** Returns the name of a source of a stream, for example `orders/eu`, or `orders` if the source is empty. */
  private[windrow] def sourceIn(stream: String, source: String): String =
    if (source.isEmpty) escaped(stream) else s"${escaped(stream)}/$source"

  /** Returns the position of the stream to which a source belongs, or -1. */
  private[windrow] def streamOf(source: String, names: Seq[String]): Int = {
    val stream = source.takeWhile(_ != '/')
    names.indexWhere(escaped(_) == stream)
  }

  /** Replaces slashes, so that the name ends at the first one. */
  private def escaped(stream: String): String = stream.replace("%", "%25").replace("/", "%2F")

  /** Orders by source, partition and offset. */
  implicit val Order: Ordering[Origin] = (a, b) => {
    val byPartition = SourcePartition.Order.compare(a.partition, b.partition)
    if (byPartition != 0) byPartition else java.lang.Long.compare(a.offset, b.offset)
  }
}

/** A message on its way into a shard, or several messages of one key that all windows treat alike.
  *
  * @param time
  *   event time in microseconds; None if the message has none
  * @param value
  *   value for its windows; 0 if its windows need none
  * @param count
  *   number of messages
  * @param buffer
  *   the messages as an aggregation buffer
  * @param raw
  *   the original row, returned if the message is rejected; null if it cannot be rejected
  * @param pane
  *   for inherited windows, the message as a pane of another operator
  * @param mark
  *   for sessions that more than a gap ends
  */
final case class Entry[+B](
    key: Key,
    time: Option[Long],
    value: Long,
    count: Long,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin],
    pane: Option[IncomingPane] = None,
    mark: Option[SessionMark] = None)

/** A message that is a pane of another operator, with the window `[start, end)` in microseconds.
  *
  * @param content
  *   identifies the pane that a retraction repeats: its index in the window, and the values that count
  */
final case class IncomingPane(start: Long, end: Long, timing: Timing, isRetraction: Boolean, content: Key)

/** How a message affects the sessions of its key, besides its gap (SEMANTICS W9).
  *
  * @param ends
  *   whether it ends its session
  * @param values
  *   the values whose change begins another session, as bytes that are equal exactly if the values are
  */
final case class SessionMark(ends: Boolean, values: Key)

object SessionMark {
  val None: SessionMark = SessionMark(ends = false, new Key(Array.emptyByteArray))
}
