package windrow.core.state

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{TreeMap => JTreeMap}
import scala.collection.mutable

/** Offsets whose messages have had their fate, as ranges for each source and partition (SEMANTICS R13).
  *
  * At most `limit` ranges are kept for each; of older ones only the bound stays, and every offset below it counts as a
  * replay. A source in order of offset brings none of them but in a replay.
  */
final class AppliedOffsets(limit: Int = 1024) {
  private final class Ranges {
    var bound: Long = Long.MinValue
    val ends        = new JTreeMap[Long, Long]
  }

  private val partitions = mutable.TreeMap.empty[(String, Long), Ranges]

  /** Marks an offset as applied; false if it was already. */
  def apply(source: String, partition: Long, offset: Long): Boolean = {
    val ranges = partitions.getOrElseUpdate((source, partition), new Ranges)
    val below  = ranges.ends.floorEntry(offset)
    if (offset < ranges.bound || (below != null && offset <= below.getValue)) false
    else {
      val start = if (below != null && below.getValue == offset - 1) below.getKey else offset
      val above = ranges.ends.ceilingEntry(offset + 1)
      val joins = above != null && above.getKey == offset + 1
      if (joins) ranges.ends.remove(above.getKey)
      ranges.ends.put(start, if (joins) above.getValue else offset)
      forget(ranges)
      true
    }
  }

  /** For each source and partition the offset after the greatest that was applied. */
  def next: Map[(String, Long), Long] =
    partitions.view.mapValues(ranges => ranges.ends.lastEntry.getValue + 1).toMap

  private def forget(ranges: Ranges): Unit = while (ranges.ends.size > limit) {
    ranges.bound = ranges.ends.pollFirstEntry.getValue + 1
  }

  def read(in: ByteReader): Unit = (0L until in.count()).foreach { _ =>
    val ranges = new Ranges
    partitions((new String(in.bytes(), UTF_8), in.long())) = ranges
    ranges.bound = in.long()
    (0L until in.count()).foreach { _ =>
      val start = in.long()
      ranges.ends.put(start, start + in.count())
    }
  }

  def write(out: ByteWriter): Unit = {
    out.count(partitions.size.toLong)
    partitions.foreach { case ((source, partition), ranges) =>
      out.bytes(source.getBytes(UTF_8))
      out.long(partition)
      out.long(ranges.bound)
      out.count(ranges.ends.size.toLong)
      ranges.ends.forEach { (start, end) =>
        out.long(start)
        out.count(end - start)
      }
    }
  }
}
