package windrow.core.operator
package partitioned

import java.util.{TreeMap => JTreeMap}
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.time.Watermark

/** How far a source partition has come, as a watermark on the axis of offsets: one past the greatest that was seen. */
private[core] final class PartitionProgress {
  private var reached = Watermark.None

  /** What this step brings: last offsets by first ones, apart. */
  private val ranges = new JTreeMap[Long, Long]

  /** At the end of the step before. */
  def before: Watermark = reached

  /** At the end of this step. */
  def now: Watermark =
    if (reached.isEnd || ranges.isEmpty) reached else reached.max(Watermark(ranges.lastEntry.getValue + 1))

  /** As a message at an offset finds it. */
  def upTo(offset: Long): Watermark = {
    val below = ranges.lowerEntry(offset)
    if (below == null) reached else reached.max(Watermark(math.min(below.getValue + 1, offset)))
  }

  /** As it is when it comes to a position that it had not reached before.
    *
    * @param end
    *   where it stands at the end of this step
    */
  def coming(position: Long, end: Watermark): Watermark = {
    val offset = position - 1
    val at     = ranges.floorEntry(offset)
    if (at != null && at.getValue >= offset) Watermark(position)
    else Option(ranges.higherEntry(offset)).fold(end)(next => Watermark(next.getKey + 1))
  }

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

  def endStep(to: Watermark): Unit = {
    reached = to
    ranges.clear()
  }

  def read(in: ByteReader): Unit   = reached = Watermark(in.long())
  def write(out: ByteWriter): Unit = out.long(reached.micros)
}
