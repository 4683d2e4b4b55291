package windrow.core.operator
package keyed

import java.util.{TreeMap => JTreeMap}
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.CellCodec
import windrow.core.aggregate.KeyRun
import windrow.core.aggregate.OwnedCodec
import windrow.core.state._
import windrow.core.trigger.Firing
import windrow.core.trigger.FiringCodec

/** The messages of a key by slice, and the records of its windows by their first positions.
  *
  * @param next
  *   count windows: the sequence number of the next message
  * @param ended
  *   count windows: what `next` was at the end of the last step
  * @param deadline
  *   the position at which one of its windows completes or closes
  */
private[core] final class GridLane[B](
    val run: KeyRun[B],
    val records: JTreeMap[Long, Firing[B]],
    var next: Long = 0,
    var ended: Long = 0,
    var deadline: Long = Long.MaxValue) {

  /** What its own messages have completed, where they do. */
  val completion = new KeyCompletion

  /** No window of it is open, and none that may yet be opened is complete. */
  def isEmpty: Boolean = run.isEmpty && !completion.reached.isDefined

  def clear(): Unit = {
    run.clear()
    records.clear()
    completion.clear()
  }

  /** Until the end of a step: a message has come. */
  def isChanged: Boolean = deadline == Long.MinValue
  def change(): Unit     = deadline = Long.MinValue
}

private[core] final class GridLaneCodec[B](aggregation: Aggregation[B, _], segments: Segments)
    extends Codec[GridLane[B]] {
  private val cells   = new CellCodec(new OwnedCodec(aggregation))
  private val firings = new FiringCodec(aggregation)
  private val leaves  = aggregation.keeping.map(keeping => keeping.release(_: B))

  def empty: GridLane[B] = new GridLane(new KeyRun(aggregation, cells, segments, leaves = leaves), new JTreeMap)

  def write(lane: GridLane[B], out: ByteWriter): Unit = {
    out.count(lane.next)
    out.count(lane.ended)
    out.long(lane.deadline)
    lane.completion.write(out)
    out.count(lane.records.size.toLong)
    lane.records.forEach { (first, firing) =>
      out.long(first)
      firings.write(firing, out)
    }
    lane.run.write(out)
  }

  def read(in: ByteReader): GridLane[B] = {
    val lane = empty
    lane.next = in.count()
    lane.ended = in.count()
    lane.deadline = in.long()
    lane.completion.read(in)
    (0 until in.size()).foreach(_ => lane.records.put(in.long(), firings.read(in)))
    lane.run.read(in)
    lane
  }
}
