package windrow.core.state

import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow.ErrorConditions
import windrow.core.time.Position

/** Values by position and key, in segments of neighboring positions: a B+-tree of height two.
  *
  * A segment is one stored value whose id is at most its lowest position. Only touched segments are read, and only
  * changed ones are written. A segment that exceeds `segmentBytes` is split between two positions, and the keys of a
  * position that exceed `mostBytes` are spread over several values. Values added to a large segment are stored next to
  * it as [[Additions]], so the cost of adding a value depends neither on the segment's size nor on its number of keys.
  *
  * @param leaves
  *   called for each dropped value; None drops values without reading them
  * @param combine
  *   merges two values of a key, the older one first, which it may overwrite; None means that values are replaced,
  *   never added
  * @param settles
  *   a segment that was read with additions is written as one, so that its values are never combined in another
  *   grouping
  */
final class SortedRun[T](
    name: String,
    store: Spaces,
    codec: Codec[T],
    segmentBytes: Int = 4096,
    leaves: Option[T => Unit] = None,
    combine: Option[(T, T) => T] = None,
    mostBytes: Int = 1 << 29,
    settles: Boolean = false) extends StatePart {
  type Keyed = KeyMap[T]

  private val rows = new SegmentRows(codec, combine.getOrElse((_: T, later: T) => later))
  private type Rows = rows.Rows

  /** @param stored
    *   number of values written, without additions; 0 if unknown
    */
  private final class Segment(val id: Long, var stored: Long = 0) {
    var last: Long       = id
    var changed: Boolean = false
    var isStored         = false
    var additions        = Vector.empty[Addition]

    /** All values; null if not read. */
    var rows: Rows = _

    /** Values added in this step without reading the rest, or null. */
    var fresh: Rows = _

    def values: Long = stored + additions.map(_.count).sum
  }

  private val space    = store.space(name)
  private val segments = new JTreeMap[Long, Segment]
  private var bound    = Position.Least

  /** The id of the newest addition. */
  private var added = Additions.FirstId

  /** The values that were added to last, because neighbors in a step mostly belong to one position. */
  private var recent: Keyed = _
  private var recentAt      = 0L

  def readDirectory(in: ByteReader): Unit = {
    bound = in.long()
    (0 until in.size()).foreach { _ =>
      val segment = new Segment(in.long())
      segment.last = in.long()
      segment.isStored = true
      if (segment.last < segment.id || !segments.isEmpty && segment.id <= segments.lastEntry.getValue.last)
        throw in.damaged(s"segment ${segment.id} of $name does not follow the previous one")
      segment.stored = in.count()
      segment.additions = Vector.fill(in.size())(readAddition(in))
      segments.put(segment.id, segment)
    }
  }

  private def readAddition(in: ByteReader): Addition = {
    val addition = Addition(Additions.FirstId + in.count(), in.count())
    if (addition.id <= Additions.FirstId || addition.count <= 0) throw in.damaged(s"$addition of $name is not valid")
    added = math.max(added, addition.id)
    addition
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.long(bound)
    out.count(segments.size.toLong)
    segments.values.forEach { segment =>
      out.long(segment.id)
      out.long(segment.last)
      out.count(segment.stored)
      out.count(segment.additions.size.toLong)
      segment.additions.foreach { addition =>
        out.count(addition.id - Additions.FirstId)
        out.count(addition.count)
      }
    }
  }

  private def hasAdditions: Boolean = segments.values.stream.anyMatch(_.additions.nonEmpty)

  /** The number of values as written; None if a segment has additions, because some of these may belong to keys that it
    * already has. Reads only the segment that the bound cuts.
    */
  def size: Option[Long] = {
    val (cut, whole) = segments.values.asScala.partition(_.id < bound)
    Option.unless(hasAdditions)(cut.map(valuesIn).sum + whole.map(_.stored).sum)
  }

  private def valuesIn(segment: Segment): Long =
    loaded(segment).tailMap(bound).values.asScala.map(_.size.toLong).sum

  /** The values at a position, created if absent. The caller may change them. */
  def at(position: Long): Keyed = {
    if (combine.isDefined) segmentOf(position).foreach(loaded)
    toFill(position)
  }

  /** Merges a value into the value of its key at a position. */
  def add(position: Long, key: Key, value: T): Unit = rows.add(toFill(position), key, value)

  /** All values at a position, or only those added in this step if the segment is large. */
  private def toFill(position: Long): Keyed = {
    if (recent == null || recentAt != position) {
      recent = find(position)
      recentAt = position
    }
    recent
  }

  private def find(position: Long): Keyed = {
    val found   = segments.floorEntry(position)
    val isNew   = found == null || position > found.getValue.last && isLarge(found.getValue)
    val segment = if (isNew) addSegment(position) else found.getValue
    val values  = toChange(segment)
    if (position > segment.last) segment.last = position
    var keyed = values.get(position)
    if (keyed == null) {
      keyed = new Keyed
      values.put(position, keyed)
    }
    keyed
  }

  /** Values are added to it without reading it. */
  private def isLarge(segment: Segment): Boolean =
    segment.rows == null && combine.isDefined && segment.values >= store.largeFrom

  private def toChange(segment: Segment): Rows =
    if (isLarge(segment)) {
      if (segment.fresh == null) segment.fresh = rows.none
      segment.fresh
    } else {
      segment.changed = true
      loaded(segment)
    }

  /** The values at a position for reading only; null if there are none. */
  def peek(position: Long): Keyed =
    if (position < bound) null else segmentOf(position).fold(null: Keyed)(loaded(_).get(position))

  private def segmentOf(position: Long): Option[Segment] =
    Option(segments.floorEntry(position)).map(_.getValue).filter(position <= _.last)

  /** The lowest position at or above `from` that has values. */
  def ceiling(from: Long): Option[Long] = {
    val lowest = math.max(from, bound)
    var entry  = segments.floorEntry(lowest)
    if (entry == null) entry = segments.ceilingEntry(lowest)
    while (entry != null) {
      val segment = entry.getValue
      if (segment.last >= lowest) {
        if (segment.rows == null && segment.id >= lowest && beginsAtItsId(segment)) return Some(segment.id)
        val row = loaded(segment).ceilingEntry(lowest)
        if (row != null) return Some(row.getKey)
      }
      entry = segments.higherEntry(entry.getKey)
    }
    None
  }

  /** The greatest position at or below `to` that has values. */
  def floor(to: Long): Option[Long] =
    Iterator.iterate(segments.floorEntry(to))(entry => segments.lowerEntry(entry.getKey))
      .takeWhile(entry => entry != null && entry.getValue.last >= bound)
      .flatMap(entry => Option(loaded(entry.getValue).floorKey(to))).nextOption().map(_.longValue).filter(_ >= bound)

  /** The values at positions in `[from, until)`, for reading only. */
  def between(from: Long, until: Long): Iterator[(Long, Keyed)] = Iterator.unfold(from)(next =>
    ceiling(next).filter(_ < until).map(position => ((position, peek(position)), position + 1)))

  /** An upper bound of the number of values at positions in `[from, until)`. Reads nothing. */
  def sizeAtMost(from: Long, until: Long): Long = {
    val first = Option(segments.floorKey(from)).fold(from)(_.longValue)
    segments.subMap(first, until).values.asScala.iterator.filter(_.last >= from).map { segment =>
      if (segment.rows == null) segment.values + (if (segment.fresh == null) 0 else rows.size(segment.fresh))
      else segment.rows.subMap(from, until).values.asScala.map(_.size.toLong).sum
    }.sum
  }

  /** Removes all positions below `position`; the bound never decreases. */
  def dropBelow(position: Long): Unit = if (position > bound) {
    leaves.foreach(reportBelow(position, _))
    bound = position
    recent = null
    var entry = segments.firstEntry
    while (entry != null && entry.getKey < bound) {
      val segment = entry.getValue
      if (segment.last < bound) remove(segment)
      else Seq(segment.rows, segment.fresh).foreach(some => if (some != null) some.headMap(bound).clear())
      entry = segments.higherEntry(entry.getKey)
    }
  }

  private def reportBelow(position: Long, receive: T => Unit): Unit =
    between(bound, position).foreach { case (_, keyed) => keyed.valuesInOrder.foreach(receive) }

  /** Writes all changes. */
  override def flush(): Unit = {
    recent = null
    segments.values.asScala.toArray.foreach { segment =>
      if (segment.changed) write(segment) else if (segment.fresh != null) append(segment)
    }
  }

  private def addSegment(position: Long): Segment = {
    val segment = new Segment(position)
    segment.rows = rows.none
    segments.put(position, segment)
    segment
  }

  private def loaded(segment: Segment): Rows = {
    if (segment.rows == null) {
      segment.rows = withAdditions(read(segment, segment.id), segment, segment.additions)
      if (settles && segment.additions.nonEmpty) segment.changed = true
      if (segment.fresh != null) {
        segment.rows = rows.joined(segment.rows, segment.fresh)
        segment.fresh = null
        segment.changed = true
        recent = null
      }
    }
    segment.rows
  }

  private def withAdditions(first: Rows, segment: Segment, additions: Seq[Addition]): Rows =
    additions.foldLeft(first)((all, addition) => rows.joined(all, read(segment, addition.id)))

  /** @param id
    *   id of the segment, or of an addition to it
    */
  private def read(segment: Segment, id: Long): Rows = {
    val bytes = space.get(id)
    if (bytes == null)
      throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.SEGMENT", "id" -> id, "name" -> name))
    val in    = ByteReader.unsealed(bytes, s"segment $id of $name")
    val found = rows.read(in, segment.id, segment.last, bound)
    if (id == segment.id && beginsAtItsId(segment) && !found.containsKey(id))
      throw in.damaged(s"position $id is missing")
    found
  }

  /** Whether the lowest position of a segment is its id. A position to which values are added is never emptied before
    * the bound has passed it.
    */
  private def beginsAtItsId(segment: Segment): Boolean = combine.isDefined && segment.id >= bound

  private def write(segment: Segment): Unit = ByteWriter.lent { out =>
    var current = segment
    segment.rows.values.removeIf(_.isEmpty)
    if (segment.rows.isEmpty) remove(segment)
    else {
      val all  = segment.rows
      var from = all.firstKey
      segment.stored = 0
      removeAdditions(segment, segment.additions.size)
      all.forEach { (position, keyed) =>
        if (out.size >= segmentBytes || current.additions.nonEmpty) {
          current.rows = rows.part(all, from, current.last)
          put(current, out)
          current = addSegment(position)
          from = position
        }
        current.last = position
        val until = rows.write(position, keyed, 0, out, mostBytes)
        current.stored += until
        if (until < keyed.size) writeApart(current, Iterator.single((position, keyed, until)))
      }
      if (current ne segment) current.rows = rows.part(all, from, current.last)
      put(current, out)
    }
  }

  /** Writes additions to a segment, split only where they exceed `mostBytes`.
    *
    * @param some
    *   positions, each with the index of its first key that is not written yet
    */
  private def writeApart(segment: Segment, some: Iterator[(Long, Keyed, Int)]): Unit = ByteWriter.lent { out =>
    var count = 0L
    def close(): Unit = if (count > 0) {
      added += 1
      space.put(added, out.sealedResult())
      segment.additions :+= Addition(added, count)
      out.clear()
      count = 0
    }
    some.foreach { case (position, keyed, first) =>
      var from = first
      while (from < keyed.size) {
        val until = rows.write(position, keyed, from, out, mostBytes)
        count += until - from
        from = until
        if (out.size > mostBytes) close()
      }
    }
    close()
  }

  /** Writes the additions of this step, merged with as many older parts as [[Additions]] decides. */
  private def append(segment: Segment): Unit = {
    segment.fresh.values.removeIf(_.isEmpty)
    if (segment.fresh.isEmpty) segment.fresh = null
    else {
      val counts = segment.stored +: segment.additions.map(_.count) :+ rows.size(segment.fresh)
      val newest = Additions.together(counts)
      if (newest == counts.size) {
        loaded(segment)
        write(segment)
      } else {
        val earlier = segment.additions.takeRight(newest - 1)
        val both    = rows.joined(withAdditions(rows.none, segment, earlier), segment.fresh)
        removeAdditions(segment, earlier.size)
        segment.fresh = null
        writeApart(segment, both.asScala.iterator.map { case (position, keyed) => (position.longValue, keyed, 0) })
      }
    }
  }

  private def removeAdditions(segment: Segment, newest: Int): Unit = {
    segment.additions.takeRight(newest).foreach(addition => space.remove(addition.id))
    segment.additions = segment.additions.dropRight(newest)
  }

  /** Removes a segment. The store never sees a value that was added and removed within one step. */
  private def remove(segment: Segment): Unit = {
    segments.remove(segment.id)
    removeAdditions(segment, segment.additions.size)
    if (segment.isStored) space.remove(segment.id)
  }

  private def put(segment: Segment, out: ByteWriter): Unit = {
    space.put(segment.id, out.sealedResult())
    segment.isStored = true
    segment.changed = false
    out.clear()
  }
}
