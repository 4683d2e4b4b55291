package windrow.core.operator
package run

import java.util.{HashMap => JHashMap}
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.CellCodec
import windrow.core.aggregate.KeyRun
import windrow.core.operator.keyed.KeyCompletion
import windrow.core.state._
import windrow.core.trigger.Firing
import windrow.core.trigger.FiringCodec

/** What is kept of a window that fired other than on time alone.
  *
  * @param end
  *   exclusive
  * @param start
  *   as the last pane had it
  * @param stamp
  *   of the last cell accepted before its last pane
  */
private[core] final case class RunRecord[B](start: Long, end: Long, stamp: Long, firing: Firing[B])

/** The messages of a key and the records of its windows.
  *
  * @param deadline
  *   the watermark at which one of its windows completes or closes, or a message leaves
  */
private[core] final class RunLane[B](
    val run: KeyRun[B],
    val records: JHashMap[Long, RunRecord[B]],
    var accepted: Long,
    var deadline: Long) {

  /** What its own messages have completed, where they do. */
  val completion = new KeyCompletion

  def nextStamp(): Long = { accepted += 1; accepted }
}

private[core] final class RunLaneCodec[B](aggregation: Aggregation[B, _], segments: Segments)
    extends Codec[RunLane[B]] {
  private val cells   = new CellCodec(aggregation)
  private val firings = new FiringCodec(aggregation)

  def empty: RunLane[B] = new RunLane(new KeyRun(aggregation, cells, segments), new JHashMap, 0, Long.MaxValue)

  def write(lane: RunLane[B], out: ByteWriter): Unit = {
    out.count(lane.accepted)
    out.long(lane.deadline)
    lane.completion.write(out)
    out.count(lane.records.size.toLong)
    lane.records.forEach { (id, record) =>
      out.long(id)
      out.long(record.start)
      out.long(record.end)
      out.count(record.stamp)
      firings.write(record.firing, out)
    }
    lane.run.write(out)
  }

  private def readRecord(in: ByteReader): RunRecord[B] =
    RunRecord(in.long(), in.long(), in.count(), firings.read(in))

  def read(in: ByteReader): RunLane[B] = {
    val lane = empty
    lane.accepted = in.count()
    lane.deadline = in.long()
    lane.completion.read(in)
    (0 until in.size()).foreach(_ => lane.records.put(in.long(), readRecord(in)))
    lane.run.read(in)
    lane
  }
}
