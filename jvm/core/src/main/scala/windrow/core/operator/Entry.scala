package windrow.core.operator

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import windrow.SourcePartition
import windrow.Timing
import windrow.core.state.Key
import windrow.core.time.Position

/** Where a message comes from: its identity, by which a replay is known. */
final case class Origin(partition: SourcePartition, offset: Long) {
  def source: String = partition.source

  /** The same of another source. */
  private[windrow] def of(source: String): Origin = copy(partition = partition.copy(source = source))

  /** Bytes that compare, unsigned, by source, partition and offset. */
  def order: Array[Byte] = {
    val name = source.getBytes(UTF_8)
    ByteBuffer.allocate(name.length + 17)
      .put(name).put(0.toByte).putLong(Position.unsigned(partition.number)).putLong(Position.unsigned(offset)).array
  }
}

object Origin {
  def apply(source: String, partition: Long, offset: Long): Origin = Origin(SourcePartition(source, partition), offset)

  /** By source, partition and offset. */
  implicit val Order: Ordering[Origin] = (a, b) => {
    val byPartition = SourcePartition.Order.compare(a.partition, b.partition)
    if (byPartition != 0) byPartition else java.lang.Long.compare(a.offset, b.offset)
  }
}

/** A message, or several of one key that no window tells apart, on the way into a shard.
  *
  * @param time
  *   event time in microseconds; None if the message has none
  * @param gap
  *   session gap in microseconds; 0 for other windows
  * @param count
  *   how many messages these are
  * @param buffer
  *   the messages, lifted
  * @param raw
  *   the original row, handed back if the message is refused; null where that cannot be
  * @param pane
  *   of inherited windows: what the message says as a pane of another operator
  */
final case class Entry[B](
    key: Key,
    time: Option[Long],
    gap: Long,
    count: Long,
    buffer: B,
    raw: Array[Byte],
    origin: Option[Origin],
    pane: Option[IncomingPane] = None)

/** A message that is a pane, `[start, end)` in microseconds.
  *
  * @param content
  *   what a retraction repeats: which pane of its window it was, and what counts of it
  */
final case class IncomingPane(start: Long, end: Long, timing: Timing, isRetraction: Boolean, content: Key)
