package windrow.core.operator
package gaps

import windrow.core.aggregate.Aggregation
import windrow.core.grid.SliceGrid
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, KeyBuckets, Spaces, StatePart, StateParts}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.{GapValues, TimeSpan, WindowOperatorSpec}

/** The value of a window with messages, from which windows without messages get theirs.
  *
  * @param start
  *   start of the window
  */
private[core] final case class NeighborValue[V](start: Long, value: V)

/** The value of the last closed window of each key (SEMANTICS R121). A closed window has lost its messages. A value is
  * forgotten when it is too old for every window that can still change.
  */
private[core] final class Neighbors[V](
    grid: SliceGrid[Axis.Time],
    spec: WindowOperatorSpec,
    values: GapValues,
    codec: => Codec[V],
    store: Spaces)
    extends StateParts {
  private val lateness = spec.latenessInTime
  private val atMost   = new Distance[Axis.Time](values.atMost.getOrElse(TimeSpan.Zero).micros)
  private val carried  = new KeyBuckets[NeighborValue[V]]("carried", store, new NeighborValueCodec(codec), neededUntil)

  private def neededUntil(last: NeighborValue[V]): Long = lateness.after(reach(last.start))

  /** The end of the last window to which the value of another window can be carried. */
  def reach(start: Long): Long = atMost.after(grid.end(start))

  /** The last closed window of a key; None if it has none or is no longer needed. */
  def last(key: Key): Option[NeighborValue[V]] = Option(carried.get(key))

  /** Records the value of a window that closes. */
  def close(key: Key, start: Long, value: V): Unit = carried.put(key, NeighborValue(start, value))

  def forget(now: Watermark): Unit =
    carried.walk(now.at).foreach(key => if (now.reached(neededUntil(carried.get(key)))) carried.remove(key))

  protected def parts: Seq[StatePart] = Seq(carried)
}

private[core] object Neighbors {

  /** The closed windows of a spec; None if no window contributes to another one. */
  def of[V](
      grid: SliceGrid[Axis.Time],
      spec: WindowOperatorSpec,
      aggregation: Aggregation[_, V],
      store: Spaces): Option[Neighbors[V]] =
    spec.gapValues.filter(_.carries).map(values =>
      new Neighbors(grid, spec, values, aggregation.filler.get, store))
}

private[core] final class NeighborValueCodec[V](values: => Codec[V]) extends Codec[NeighborValue[V]] {
  def write(last: NeighborValue[V], out: ByteWriter): Unit = {
    out.long(last.start)
    values.write(last.value, out)
  }

  def read(in: ByteReader): NeighborValue[V] = NeighborValue(in.long(), values.read(in))
}
