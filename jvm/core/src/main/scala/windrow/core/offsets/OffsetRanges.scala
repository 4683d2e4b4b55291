package windrow.core.offsets

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.core.time.Position

/** A set of offsets as a few ranges that neither overlap nor adjoin. Both ends are inclusive.
  *
  * `latest` is the greatest place in time of the messages of a range. It determines how long the range is needed.
  */
private[offsets] final class OffsetRanges {
  import OffsetRanges.Range

  private val byFirst = new JTreeMap[Long, Range]

  /** The range that was last found or extended, because offsets mostly arrive in order. */
  private var recent: Range = _

  def isEmpty: Boolean       = byFirst.isEmpty
  def all: Iterator[Range]   = byFirst.values.iterator.asScala
  def contains(offset: Long) = around(offset) != null

  /** Adds an offset that is in no range if it follows the end of one; returns whether it does. */
  def extend(offset: Long, latest: Long): Boolean = {
    val follows = offset != Position.Least && around(offset - 1) != null
    if (follows) add(offset, offset, latest)
    follows
  }

  def add(first: Long, last: Long, latest: Long): Unit = {
    val touched = touching(first, last)
    val range = touched.headOption.filter(_.first <= first).getOrElse {
      val made = new Range(first, last, latest)
      byFirst.put(first, made)
      made
    }
    range.last = math.max(range.last, last)
    range.latest = math.max(range.latest, latest)
    touched.filterNot(_ eq range).foreach { other =>
      range.last = math.max(range.last, other.last)
      range.latest = math.max(range.latest, other.latest)
      byFirst.remove(other.first)
    }
    recent = range
  }

  /** Ranges that share an offset with `first` to `last`, in ascending order. */
  def overlapping(first: Long, last: Long): Iterator[Range] = {
    val below = byFirst.floorEntry(first)
    val from  = if (below == null || below.getValue.last < first) first else below.getKey
    byFirst.subMap(from, true, last, true).values.iterator.asScala
  }

  def remove(range: Range): Unit = {
    byFirst.remove(range.first)
    recent = null
  }

  /** The overlapping ranges and those directly before or after. */
  private def touching(first: Long, last: Long): Vector[Range] = overlapping(
    Position.minus(first, 1),
    Position.plus(last, 1)).toVector

  private def around(offset: Long): Range =
    if (recent != null && recent.first <= offset && offset <= recent.last) recent
    else {
      val below = byFirst.floorEntry(offset)
      if (below == null || below.getValue.last < offset) null
      else {
        recent = below.getValue
        recent
      }
    }
}

private[offsets] object OffsetRanges {

  final class Range(val first: Long, var last: Long, var latest: Long) {

    /** Whether it has more than 65,536 offsets. The difference overflows if it starts at the least number. */
    def isLong: Boolean = last - first < 0 || last - first >= Long16
  }

  private val Long16 = 1L << 16
}
