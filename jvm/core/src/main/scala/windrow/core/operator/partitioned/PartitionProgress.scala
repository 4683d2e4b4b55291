package windrow.core.operator
package partitioned

import java.util.{TreeMap => JTreeMap}
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.time.{Axis, Front, Offset}

/** The progress of a source partition: one past the greatest offset seen. */
private[core] final class PartitionProgress {
  private var reached = Front.none[Axis.Offset]

  /** Offsets of this step as separate ranges: last offsets by first ones. */
  private val ranges = new JTreeMap[Long, Long]

  /** The progress at the end of the previous step. */
  def before: Front[Axis.Offset] = reached

  /** The progress at the end of this step. */
  def now: Front[Axis.Offset] =
    if (reached.isEnd || ranges.isEmpty) reached else reached.max(past(ranges.lastEntry.getValue))

  /** The progress at the moment when it reached or passed a position for the first time in this step.
    *
    * @param end
    *   the progress at the end of this step
    */
  def coming(position: Long, end: Front[Axis.Offset]): Front[Axis.Offset] = {
    val offset = position - 1
    val at     = ranges.floorEntry(offset)
    if (at != null && at.getValue >= offset) Front(position)
    else Option(ranges.higherEntry(offset)).fold(end)(next => past(next.getKey))
  }

  private def past(offset: Long): Front[Axis.Offset] = Front.past(Offset(offset))

  def add(first: Long, last: Long): Unit = {
    val below    = ranges.floorEntry(first)
    val isJoined = below != null && below.getValue >= first - 1
    val start    = if (isJoined) below.getKey.longValue else first
    var end      = if (isJoined) math.max(below.getValue, last) else last
    var above    = ranges.higherEntry(start)
    while (above != null && above.getKey <= end + 1) {
      end = math.max(end, above.getValue)
      ranges.remove(above.getKey)
      above = ranges.higherEntry(start)
    }
    ranges.put(start, end)
    ()
  }

  def endStep(to: Front[Axis.Offset]): Unit = {
    reached = to
    ranges.clear()
  }

  def read(in: ByteReader): Unit   = reached = Front(in.long())
  def write(out: ByteWriter): Unit = out.long(reached.at)
}
