package windrow.core.operator
package gaps

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.grid.SliceGrid
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.time.Axis

/** A set of windows, identified by their starts and stored as ranges of neighbors. Bounds are inclusive. */
private[core] final class StartRanges(grid: SliceGrid[_ <: Axis]) {
  private val ranges = new JTreeMap[Long, Long]

  private def before(start: Long): Long = grid.lastStart(start - 1)

  def first: Option[Long] = Option(ranges.firstEntry).map(_.getKey)

  def last: Option[Long] = Option(ranges.lastEntry).map(_.getValue)

  /** The last start below another one. */
  def lastBefore(start: Long): Option[Long] =
    Option(ranges.lowerEntry(start)).map(range =>
      if (range.getValue < start) range.getValue.longValue else before(start))

  /** The first start at or above another one. */
  def ceiling(start: Long): Option[Long] =
    if (holds(start)) Some(start) else Option(ranges.higherKey(start)).map(_.longValue)

  def isEmpty: Boolean = ranges.isEmpty

  def add(from: Long, to: Long): Unit = if (from <= to) {
    val below = ranges.floorEntry(from)
    val joins = below != null && grid.next(below.getValue) >= from
    var end   = if (joins) math.max(below.getValue, to) else to
    val start = if (joins) below.getKey.longValue else from
    var above = ranges.higherEntry(start)
    while (above != null && above.getKey <= grid.next(end)) {
      end = math.max(end, above.getValue)
      ranges.remove(above.getKey)
      above = ranges.higherEntry(start)
    }
    ranges.put(start, end)
    ()
  }

  def remove(from: Long, to: Long): Unit = {
    var touched = ranges.floorEntry(to)
    while (touched != null && touched.getValue >= from) {
      val (start, end) = (touched.getKey.longValue, touched.getValue.longValue)
      ranges.remove(start)
      if (end > to) ranges.put(grid.next(to), end)
      if (start < from) ranges.put(start, before(from))
      touched = if (start < from) null else ranges.floorEntry(to)
    }
  }

  /** @return
    *   whether windows were removed
    */
  def dropBelow(start: Long): Boolean = {
    val last = ranges.lowerEntry(start)
    ranges.headMap(start).clear()
    if (last != null && last.getValue >= start) ranges.put(start, last.getValue)
    last != null
  }

  def clear(): Unit = ranges.clear()

  def holds(start: Long): Boolean = {
    val range = ranges.floorEntry(start)
    range != null && range.getValue >= start
  }

  def all: Iterator[(Long, Long)] =
    ranges.entrySet.iterator.asScala.map(range => (range.getKey.longValue, range.getValue.longValue))

  /** The first start from `start` on that is not in the set. */
  def after(start: Long): Long = {
    if (holds(start)) grid.next(ranges.floorEntry(start).getValue) else start
  }

  /** The parts of a range that are not in the set. */
  def between(from: Long, to: Long): Iterator[(Long, Long)] = Iterator.unfold(from) { next =>
    val start = after(next)
    Option.when(start <= to) {
      val above = ranges.higherEntry(start)
      val end   = if (above == null || above.getKey > to) to else before(above.getKey)
      ((start, end), grid.next(end))
    }
  }

  def read(in: ByteReader): Unit = (0 until in.size()).foreach(_ => ranges.put(in.long(), in.long()))

  def write(out: ByteWriter): Unit = {
    out.count(ranges.size.toLong)
    ranges.entrySet.asScala.foreach { range =>
      out.long(range.getKey)
      out.long(range.getValue)
    }
  }
}
