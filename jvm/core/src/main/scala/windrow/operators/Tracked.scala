package windrow.operators

import windrow.core.aggregate.{Aggregation, Carrying, Keeping}
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
private[operators] final class Tracked[B](
    val buffer: B,
    val count: Long,
    val offsets: Map[SourcePartition, OffsetSpan])

private[operators] object Tracked {
  def apply[B](buffer: B, origin: Option[Origin]): Tracked[B] = new Tracked(
    buffer,
    count = 1,
    origin.map(from => from.partition -> OffsetSpan(from.offset, from.offset)).toMap)
}

/** An aggregation that also tracks count and offsets of its messages. */
private[operators] final class TrackedAggregation[B, V](inner: Aggregation[B, V]) extends Aggregation[Tracked[B], V] {
  override def isExact: Boolean = inner.isExact

  private[windrow] override val keeping: Option[Keeping[Tracked[B]]] = inner.keeping.map(_.of(_.buffer))

  private[windrow] override val carrying: Option[Carrying[Tracked[B]]] =
    inner.carrying.map(_.of[Tracked[B]](_.buffer)(new Tracked(_, 0, Map.empty)))

  private[windrow] override def in(pieces: Pieces, guards: Guards): Aggregation[Tracked[B], V] =
    new TrackedAggregation(inner.in(pieces, guards))

  def zero: Tracked[B] = new Tracked(inner.zero, 0, Map.empty)

  def combine(left: Tracked[B], right: Tracked[B]): Tracked[B] = new Tracked(
    inner.combine(left.buffer, right.buffer),
    left.count + right.count,
    right.offsets.foldLeft(left.offsets) { case (all, (part, range)) =>
      all.updated(part, all.get(part).fold(range)(_ span range))
    })

  def copy(tracked: Tracked[B]): Tracked[B] = new Tracked(inner.copy(tracked.buffer), tracked.count, tracked.offsets)
  def lower(tracked: Tracked[B]): V         = inner.lower(tracked.buffer)

  private[windrow] override def lowerUntil(tracked: Tracked[B], end: Option[Long]): V =
    inner.lowerUntil(tracked.buffer, end)

  def write(tracked: Tracked[B], out: ByteWriter): Unit = {
    inner.write(tracked.buffer, out)
    out.count(tracked.count)
    OffsetSpan.write(tracked.offsets, out)
  }

  def read(in: ByteReader): Tracked[B] = new Tracked(inner.read(in), in.count(), OffsetSpan.read(in))
}
