package windrow.operators

import windrow.core.aggregate.{Aggregation, BufferStorage, ValueCarrier}
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Pieces}
import windrow.core.store.OffsetSpan
import windrow.{Guards, SourcePartition}

/** An aggregation buffer of a window, with the count and offsets of its messages for the window's metadata
  * (SEMANTICS R22).
  *
  * @param offsets
  *   by source partition
  */
private[operators] final class TrackedBuffer[B](
    val buffer: B,
    val count: Long,
    val offsets: Map[SourcePartition, OffsetSpan])

private[operators] object TrackedBuffer {
  def apply[B](buffer: B, origin: Option[Origin]): TrackedBuffer[B] = new TrackedBuffer(
    buffer,
    count = 1,
    origin.map(from => from.partition -> OffsetSpan(from.offset, from.offset)).toMap)
}

/** An aggregation that also tracks count and offsets of its messages. */
private[operators] final class TrackedAggregation[B, V](inner: Aggregation[B, V])
    extends Aggregation[TrackedBuffer[B], V] {
  override def isExact: Boolean = inner.isExact

  private[windrow] override def comparePlaces(left: TrackedBuffer[B], right: TrackedBuffer[B]): Int =
    inner.comparePlaces(left.buffer, right.buffer)

  private[windrow] override val storage: Option[BufferStorage[TrackedBuffer[B]]] = inner.storage.map(_.of(_.buffer))

  private[windrow] override val carrier: Option[ValueCarrier[TrackedBuffer[B]]] =
    inner.carrier.map(_.of[TrackedBuffer[B]](_.buffer)(new TrackedBuffer(_, 0, Map.empty)))

  private[windrow] override def in(pieces: Pieces, guards: Guards): Aggregation[TrackedBuffer[B], V] =
    new TrackedAggregation(inner.in(pieces, guards))

  def zero: TrackedBuffer[B] = new TrackedBuffer(inner.zero, 0, Map.empty)

  def combine(left: TrackedBuffer[B], right: TrackedBuffer[B]): TrackedBuffer[B] = new TrackedBuffer(
    inner.combine(left.buffer, right.buffer),
    left.count + right.count,
    right.offsets.foldLeft(left.offsets) { case (all, (part, range)) =>
      all.updated(part, all.get(part).fold(range)(_ span range))
    })

  def copy(tracked: TrackedBuffer[B]): TrackedBuffer[B] =
    new TrackedBuffer(inner.copy(tracked.buffer), tracked.count, tracked.offsets)
  def lower(tracked: TrackedBuffer[B]): V = inner.lower(tracked.buffer)

  private[windrow] override def lowerUntil(tracked: TrackedBuffer[B], end: Option[Long]): V =
    inner.lowerUntil(tracked.buffer, end)

  def write(tracked: TrackedBuffer[B], out: ByteWriter): Unit = {
    inner.write(tracked.buffer, out)
    out.count(tracked.count)
    OffsetSpan.write(tracked.offsets, out)
  }

  def read(in: ByteReader): TrackedBuffer[B] = new TrackedBuffer(inner.read(in), in.count(), OffsetSpan.read(in))
}
