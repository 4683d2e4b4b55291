package windrow.core.operator
package aligned

import java.util.{Arrays, TreeMap => JTreeMap}
import windrow.core.aggregate.{Aggregation, ValueCarrier}
import windrow.core.grid.SliceGrid
import windrow.core.operator.gaps.StartRanges
import windrow.core.state.{ByteWriter, Key, KeyBuckets, KeyMap, Spaces, StatePart, StateParts}
import windrow.core.time.{Axis, Distance, Due, Watermark}

/** The values with which windows begin: those of the last messages of their key before them (SEMANTICS R123). The
  * messages that no open window contains are removed, so their last value is stored for each key.
  */
private[core] final class CarriedValues[B](
    grid: SliceGrid[Axis.Time],
    lateness: Distance[Axis.Time],
    aggregation: Aggregation[B, _],
    carrier: ValueCarrier[B],
    slices: GridSlices[B],
    store: Spaces) extends StateParts {
  private val limit = new Distance[Axis.Time](carrier.limit)
  private val keys =
    new KeyBuckets[EarlierValues[B]]("earlier", store, new EarlierValuesCodec(grid, aggregation), neededUntil)

  /** During a step, the last values that slices had before late messages, by key and slice. */
  private val replaced = new KeyMap[JTreeMap[Long, Option[B]]]

  def keyCount: Long = keys.size

  /** The watermark from which no open window can carry a stored value. */
  private def neededUntil(values: EarlierValues[B]): Long =
    if (limit.isEndless || !values.covered.isEmpty) Due.Never
    else lateness.after(grid.end(grid.lastStart(limit.after(nextStart(values.last)))))

  private def nextStart(slice: Long): Long = grid.next(grid.lastStart(slice))

  /** Records a message in a slice, before the slice contains it.
    *
    * @param isLate
    *   whether a window that contains the slice is complete
    */
  def add(key: Key, slice: Long, isLate: Boolean): Unit = {
    if (isLate) replacedOf(key).computeIfAbsent(slice, _ => slices.at(key, slice).flatMap(carrier.last))
    val values = valuesOf(key)
    val start  = grid.lastStart(slice)
    if (!values.covered.holds(start)) {
      values.covered.add(start, start)
      keys.put(key, values)
    }
  }

  private def valuesOf(key: Key): EarlierValues[B] =
    Option(keys.get(key)).getOrElse(new EarlierValues[B](new StartRanges(grid)))

  private def replacedOf(key: Key): JTreeMap[Long, Option[B]] = {
    val index = replaced.indexOf(key)
    if (index >= 0) replaced.valueAt(index)
    else {
      val none = new JTreeMap[Long, Option[B]]
      replaced.add(key, none)
      none
    }
  }

  /** The value of a window: that of its messages, after the value that it carries. */
  def into(key: Key, start: Long, own: B): B = begun(own, carried(key, start, lastOf(key, _)))

  /** The same before this step, for a window that was complete. */
  def intoBefore(key: Key, start: Long, own: B): B = begun(own, carried(key, start, lastBefore(key, _)))

  private def begun(own: B, carried: Option[B]): B = carried.fold(own)(aggregation.combine(_, own))

  private def lastOf(key: Key, slice: Long): Option[B] = slices.at(key, slice).flatMap(carrier.last)

  private def lastBefore(key: Key, slice: Long): Option[B] = {
    val changed = replaced.get(key)
    if (changed == null || !changed.containsKey(slice)) lastOf(key, slice) else changed.get(slice)
  }

  /** @param last
    *   the last value of the key in a slice
    */
  private def carried(key: Key, start: Long, last: Long => Option[B]): Option[B] =
    Option(keys.get(key)).flatMap(values => latest(near(values, start, last) ++ values.closed))
      .flatMap(carrier.at(_, start))

  /** The last values in slices before a window, from the last slice on. */
  private def near(values: EarlierValues[B], start: Long, last: Long => Option[B]): Iterator[B] =
    Iterator.unfold(start) { below =>
      values.covered.lastBefore(below).flatMap(from => slices.floor(math.min(below, grid.next(from)) - 1))
        .map(slice => (slice, slice))
    }.filter(slice => values.covered.holds(grid.lastStart(slice))).flatMap(last(_))

  private def latest(values: Iterator[B]): Option[B] = values.nextOption().map { first =>
    var found = first
    while (!carrier.isWhole(found) && values.hasNext) found = after(values.next(), found)
    found
  }

  private def after(earlier: B, later: B): B = carrier.last(aggregation.combine(aggregation.copy(earlier), later)).get

  /** The windows that were complete before this step and carry another value because of a message of it, except those
    * that have received a message themselves.
    *
    * @param incomplete
    *   start of the first window that was not complete
    * @param filled
    *   the windows without messages that had fired, by key, from a start on
    */
  def changed(incomplete: Long)(filled: (Key, Long) => Iterator[Long]): Iterator[(Key, Long)] = for {
    key <- replaced.keysInOrder
    late   = replaced.get(key)
    values = keys.get(key)
    first  = nextStart(late.firstKey)
    until = shield(key, values, nextStart(late.lastKey), incomplete).fold(incomplete)(start =>
      math.min(incomplete, start + 1))
    own   = grid.windowsOver(first)(values.covered.ceiling).takeWhile(_ < until).filter(slices.hasContent(key, _))
    empty = filled(key, first).takeWhile(_ < until).filterNot(slices.hasContent(key, _))
    start <- (own ++ empty).filterNot(receives(late, _)).filter(isChanged(key, _))
  } yield (key, start)

  /** The first window from a start on whose messages separate later windows from a message before it. */
  private def shield(key: Key, values: EarlierValues[B], from: Long, to: Long): Option[Long] =
    Iterator.unfold(from)(values.covered.ceiling(_).map(start => (start, grid.next(start)))).takeWhile(_ < to)
      .find { start =>
        val last = slices.between(start, grid.next(start)).flatMap { case (slice, _) => lastOf(key, slice) }
        latest(last.toVector.reverseIterator).exists(carrier.isWhole)
      }

  private def receives(late: JTreeMap[Long, Option[B]], start: Long): Boolean =
    Option(late.ceilingKey(start)).exists(_ < grid.end(start))

  private def isChanged(key: Key, start: Long): Boolean = {
    val before = carried(key, start, lastBefore(key, _)).map(bytes)
    val now    = carried(key, start, lastOf(key, _)).map(bytes)
    if (before.isDefined && now.isDefined) !Arrays.equals(before.get, now.get) else before.isDefined != now.isDefined
  }

  private def bytes(buffer: B): Array[Byte] = {
    val out = new ByteWriter
    aggregation.write(buffer, out)
    out.result()
  }

  /** Ends a step, before the messages of closed windows are removed.
    *
    * @param open
    *   start of the first window that is not closed
    */
  def leave(open: Long, now: Watermark): Unit = {
    replaced.clear()
    slices.between(Long.MinValue, open).foreach { case (slice, keyed) =>
      (0 until keyed.size).foreach(index => close(keyed.keyAt(index), slice, keyed.valueAt(index), open))
    }
    keys.walk(now.at).foreach(key => if (now.reached(neededUntil(keys.get(key)))) keys.remove(key))
  }

  private def close(key: Key, slice: Long, buffer: B, open: Long): Unit = {
    val values = valuesOf(key)
    carrier.last(buffer).foreach { last =>
      values.closed = Some(values.closed.fold(last)(after(_, last)))
      values.last = slice
    }
    values.covered.dropBelow(open)
    if (values.covered.isEmpty && values.closed.isEmpty) keys.remove(key) else keys.put(key, values)
  }

  protected def parts: Seq[StatePart] = Seq(keys)
}
