package windrow.core.state

import java.util.{TreeMap => JTreeMap}
import windrow.core.time.Position
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions

/** Values by position and key, in segments of neighbouring positions: a B+-tree of height two.
  *
  * A segment is one stored value, named by a position that is not above any of its own. Only segments that are touched
  * are read, only those that change are written; one that outgrows `segmentBytes` is split between two positions.
  *
  * @param leaves
  *   hears of each value that is dropped; None: they are dropped unread
  */
final class SortedRun[T](
    name: String,
    store: Spaces,
    codec: Codec[T],
    segmentBytes: Int = 4096,
    leaves: Option[T => Unit] = None) {
  type Keyed = KeyMap[T]

  /** @param stored
    *   how many values were written; 0: not known
    */
  private final class Segment(val id: Long, var stored: Long = 0) {
    var last: Long                  = id
    var rows: JTreeMap[Long, Keyed] = _
    var changed: Boolean            = false
    var isStored                    = false
  }

  private val space    = store.space(name)
  private val segments = new JTreeMap[Long, Segment]
  private var bound    = Position.Least

  /** What was asked for last, to be changed: neighbours in a step mostly go to one position. */
  private var recent: Keyed = _
  private var recentAt      = 0L

  def readDirectory(in: ByteReader): Unit = {
    bound = in.long()
    val first   = in.count()
    val counted = first == SortedRun.Counted
    (0 until in.fitting(if (counted) in.count() else first)).foreach { _ =>
      val segment = new Segment(in.long())
      segment.last = in.long()
      segment.isStored = true
      if (segment.last < segment.id || !segments.isEmpty && segment.id <= segments.lastEntry.getValue.last)
        throw in.damaged(s"segment ${segment.id} of $name is not behind the one before")
      if (counted) segment.stored = in.count()
      segments.put(segment.id, segment)
    }
  }

  /** Older directories say their number of segments at once, and nothing of values. */
  def writeDirectory(out: ByteWriter): Unit = {
    out.long(bound)
    out.count(SortedRun.Counted)
    out.count(segments.size.toLong)
    segments.values.forEach { segment =>
      out.long(segment.id)
      out.long(segment.last)
      out.count(segment.stored)
    }
  }

  /** How many values there are, as written; None: a segment was written before they were counted. Only the segment that
    * the bound cuts is read.
    */
  def size: Option[Long] = {
    val (cut, whole) = segments.values.asScala.partition(_.id < bound)
    Option.when(whole.forall(_.stored > 0))(cut.map(valuesIn).sum + whole.map(_.stored).sum)
  }

  private def valuesIn(segment: Segment): Long =
    loaded(segment).tailMap(bound).values.asScala.map(_.size.toLong).sum

  /** The values at a position, to be changed by the caller; made if absent. */
  def at(position: Long): Keyed = {
    if (recent == null || recentAt != position) {
      recent = find(position)
      recentAt = position
    }
    recent
  }

  private def find(position: Long): Keyed = {
    val found   = segments.floorEntry(position)
    val segment = if (found == null) addSegment(position) else found.getValue
    val rows    = loaded(segment)
    segment.changed = true
    if (position > segment.last) segment.last = position
    var keyed = rows.get(position)
    if (keyed == null) {
      keyed = new Keyed
      rows.put(position, keyed)
    }
    keyed
  }

  /** The values at a position, to be read; null if there are none. */
  def peek(position: Long): Keyed = {
    val found = segments.floorEntry(position)
    if (found == null || position > found.getValue.last || position < bound) null
    else loaded(found.getValue).get(position)
  }

  /** The lowest position at or above `from` that has values. */
  def ceiling(from: Long): Option[Long] = {
    val lowest = math.max(from, bound)
    var entry  = segments.floorEntry(lowest)
    if (entry == null) entry = segments.ceilingEntry(lowest)
    while (entry != null) {
      if (entry.getValue.last >= lowest) {
        val row = loaded(entry.getValue).ceilingEntry(lowest)
        if (row != null) return Some(row.getKey)
      }
      entry = segments.higherEntry(entry.getKey)
    }
    None
  }

  /** The values at positions in `[from, until)`, to be read. */
  def between(from: Long, until: Long): Iterator[(Long, Keyed)] = Iterator.unfold(from)(next =>
    ceiling(next).filter(_ < until).map(position => ((position, peek(position)), position + 1)))

  /** Positions that have values, from the highest down. */
  def descending: Iterator[Long] =
    segments.descendingMap.values.iterator.asScala
      .flatMap(segment => loaded(segment).descendingKeySet.iterator.asScala)
      .takeWhile(_ >= bound)

  /** Lets go of everything below a position; the bound never falls. */
  def dropBelow(position: Long): Unit = if (position > bound) {
    leaves.foreach(tellBelow(position, _))
    bound = position
    recent = null
    var entry = segments.firstEntry
    while (entry != null && entry.getKey < bound) {
      val segment = entry.getValue
      if (segment.last < bound) remove(segment)
      else if (segment.changed) segment.rows.headMap(bound).clear()
      entry = segments.higherEntry(entry.getKey)
    }
  }

  /** Has positions again below what was let go of: where they are times of a clock, it may have been set back. */
  def reopen(): Unit = bound = Position.Least

  private def tellBelow(position: Long, hears: T => Unit): Unit =
    between(bound, position).foreach { case (_, keyed) => keyed.valuesInOrder.foreach(hears) }

  /** Writes what has changed. */
  def flush(): Unit = {
    recent = null
    segments.values.asScala.toArray.foreach(segment => if (segment.changed) write(segment))
  }

  private def addSegment(position: Long): Segment = {
    val segment = new Segment(position)
    segment.rows = new JTreeMap
    segments.put(position, segment)
    segment
  }

  private def loaded(segment: Segment): JTreeMap[Long, Keyed] = {
    if (segment.rows == null) segment.rows = read(segment)
    segment.rows
  }

  private def read(segment: Segment): JTreeMap[Long, Keyed] = {
    val rows  = new JTreeMap[Long, Keyed]
    val bytes = space.get(segment.id)
    if (bytes == null)
      throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.SEGMENT", "id" -> segment.id, "name" -> name))
    val in = ByteReader.unsealed(bytes, s"segment ${segment.id} of $name")
    in.decode { in =>
      while (in.hasNext) {
        val position = in.long()
        if (position < segment.id || position > segment.last) throw in.damaged(s"it has position $position")
        val keys  = in.size()
        val keyed = new Keyed(keys)
        (0 until keys).foreach(_ => keyed.put(new Key(in.bytes()), codec.read(in)))
        if (position >= bound) rows.put(position, keyed)
      }
    }
    rows
  }

  private def write(segment: Segment): Unit = ByteWriter.lent { out =>
    var current = segment
    segment.rows.values.removeIf(_.isEmpty)
    if (segment.rows.isEmpty) remove(segment)
    else {
      val all = segment.rows
      segment.rows = new JTreeMap
      segment.stored = 0
      all.forEach { (position, keyed) =>
        if (out.size >= segmentBytes) {
          put(current, out)
          current = addSegment(position)
        }
        current.rows.put(position, keyed)
        current.last = position
        current.stored += keyed.size.toLong
        writeRow(position, keyed, out)
      }
      put(current, out)
    }
  }

  /** Of what came and went within a step the store knows nothing. */
  private def remove(segment: Segment): Unit = {
    segments.remove(segment.id)
    if (segment.isStored) space.remove(segment.id)
  }

  private def writeRow(position: Long, keyed: Keyed, out: ByteWriter): Unit = {
    out.long(position)
    out.count(keyed.size.toLong)
    var index = 0
    while (index < keyed.size) {
      out.bytes(keyed.keyAt(index).bytes)
      codec.write(keyed.valueAt(index), out)
      index += 1
    }
  }

  private def put(segment: Segment, out: ByteWriter): Unit = {
    space.put(segment.id, out.sealedResult())
    segment.isStored = true
    segment.changed = false
    out.clear()
  }
}

private object SortedRun {

  /** In the place of a number of segments: of each its number of values is told, too. */
  val Counted: Long = -1L
}
