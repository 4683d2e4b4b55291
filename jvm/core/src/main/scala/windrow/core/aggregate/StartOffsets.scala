package windrow.core.aggregate

import windrow.SourcePartition
import windrow.core.offsets.SourcePartitionCodec
import windrow.core.state.{ByteReader, ByteWriter}

/** The least offset of some messages in each of their source partitions. */
final case class StartOffsets(of: Map[SourcePartition, Long]) {

  def min(other: StartOffsets): StartOffsets =
    if (of.isEmpty) other
    else StartOffsets(other.of.foldLeft(of) { case (all, (partition, offset)) =>
      if (all.get(partition).exists(_ <= offset)) all else all + (partition -> offset)
    })

  /** Whether a message with this offset is later than these messages. Offsets of other partitions are not compared
    * (SEMANTICS R7).
    */
  def areBefore(partition: SourcePartition, offset: Long): Boolean = of.get(partition).forall(_ < offset)
}

object StartOffsets {
  val None: StartOffsets = StartOffsets(Map.empty)
}

/** A buffer with the start offsets of its messages. */
final case class BufferWithOffsets[B](buffer: B, starts: StartOffsets)

/** Wraps an aggregation for windows that need the start offsets of their messages. */
private[core] final class OffsetAggregation[B, V](inner: Aggregation[B, V])
    extends Aggregation[BufferWithOffsets[B], V] {
  private[windrow] override val storage: Option[BufferStorage[BufferWithOffsets[B]]] = inner.storage.map(_.of(_.buffer))

  override def isExact: Boolean = inner.isExact

  private[windrow] override def comparePlaces(left: BufferWithOffsets[B], right: BufferWithOffsets[B]): Int =
    inner.comparePlaces(left.buffer, right.buffer)

  def zero: BufferWithOffsets[B] = BufferWithOffsets(inner.zero, StartOffsets.None)

  def combine(left: BufferWithOffsets[B], right: BufferWithOffsets[B]): BufferWithOffsets[B] =
    BufferWithOffsets(inner.combine(left.buffer, right.buffer), left.starts.min(right.starts))

  def copy(buffer: BufferWithOffsets[B]): BufferWithOffsets[B] = buffer.copy(buffer = inner.copy(buffer.buffer))
  def lower(buffer: BufferWithOffsets[B]): V                   = inner.lower(buffer.buffer)

  private[windrow] override def lowerUntil(buffer: BufferWithOffsets[B], end: Option[Long]): V =
    inner.lowerUntil(buffer.buffer, end)

  def write(buffer: BufferWithOffsets[B], out: ByteWriter): Unit = {
    inner.write(buffer.buffer, out)
    out.count(buffer.starts.of.size.toLong)
    buffer.starts.of.foreach { case (partition, offset) =>
      SourcePartitionCodec.write(partition, out)
      out.long(offset)
    }
  }

  def read(in: ByteReader): BufferWithOffsets[B] = BufferWithOffsets(
    inner.read(in),
    StartOffsets(Seq.fill(in.size())(SourcePartitionCodec.read(in) -> in.long()).toMap))
}
