package windrow.core.operator
package gaps

import windrow.FixedWindows
import windrow.WindowOperatorSpec
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Key
import windrow.core.state.KeyBuckets
import windrow.core.state.Spaces
import windrow.core.time.Axis
import windrow.core.time.EventTime
import windrow.core.time.Watermark
import windrow.core.window.SliceGrid

/** The windows without messages of all keys of a shard. A key is remembered for good, so that its gaps are filled when it
  * comes back.
  *
  * @param size
  *   of a window
  */
private[core] final class GapWindows(grid: SliceGrid[Axis.Time], size: Long, spec: WindowOperatorSpec, store: Spaces) {
  private val lateness = spec.latenessInTime
  private val limits   = GapLimits(lateness, spec.retention.time.fold(lateness.after(size))(_.micros))
  private val keys     = new KeyBuckets[KeyGaps]("gaps", store, new KeyGapsCodec(grid, limits), _.deadline)

  private def isOpen(start: Long, at: Watermark): Boolean = !at.reached(grid.end(start), lateness)

  /** A message at this time was accepted. */
  def add(key: Key, time: Long, before: Watermark): Unit = {
    val gaps = Option(keys.get(key)).getOrElse(
      new KeyGaps(grid, limits, grid.windowsAt(time).find(isOpen(_, before)).get))
    gaps.add(grid.firstStart(time), grid.lastStart(time))
    keys.put(key, gaps)
  }

  /** A window that has no message came to be before. */
  def isFilled(key: Key, start: Long): Boolean = Option(keys.get(key)).exists(_.isFilled(start))

  /** The window with the greatest start that came to be without messages and is open. */
  def newest(key: Key, at: Watermark): Option[Long] =
    Option(keys.get(key)).flatMap(_.newest).filter(isOpen(_, at))

  /** All open windows that came to be without messages, or had some before. */
  def open(at: Watermark): Iterator[(Key, Long)] = {
    val left = at.leaves(lateness)
    val from = if (left == EventTime.Min) left else grid.firstStart(left)
    keys.walkAll.flatMap(key => keys.get(key).filled(from).filter(isOpen(_, at)).map((key, _)))
  }

  /** Takes the windows of a key that fire now, one after the other, however many there are. */
  def take[E](key: Key)(fires: Long => Boolean)(fire: Long => Part[E]): Iterator[Part[E]] =
    Option(keys.get(key)).filter(_.hasPending).iterator.flatMap { gaps =>
      Part.silent(keys.put(key, gaps)) ++
        Iterator.continually(gaps.pendingStart.filter(fires)).takeWhile(_.isDefined).flatten.map[Part[E]] {
          start => out =>
            gaps.take(start)
            fire(start).run(out)
        }
    }

  /** At the end of a step windows without messages come to be; what is to be done then for each key that may have some. */
  def fill[E](now: Watermark)(ended: Key => Iterator[Part[E]]): Iterator[Part[E]] =
    keys.walk(now.at).filter(keys.get(_).isDue(now)).map[Part[E]] {
      key => out =>
        val gaps = keys.get(key)
        gaps.fill(now)
        keys.put(key, gaps)
        out.andThen(ended(key))
    }

  def keyCount: Long                        = keys.size
  def flush(): Unit                         = keys.flush()
  def readDirectory(in: ByteReader): Unit   = keys.readDirectory(in)
  def writeDirectory(out: ByteWriter): Unit = keys.writeDirectory(out)
}

private[core] object GapWindows {

  /** Where the spec asks for them. */
  def of(spec: WindowOperatorSpec, store: Spaces): Option[GapWindows] = spec.window match {
    case fixed: FixedWindows if spec.fillGaps => Some(new GapWindows(SliceGrid(fixed), fixed.size.micros, spec, store))
    case _                                    => None
  }
}
