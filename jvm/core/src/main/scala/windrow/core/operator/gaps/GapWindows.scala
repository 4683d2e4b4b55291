package windrow.core.operator
package gaps

import windrow.WindowOperatorSpec
import windrow.core.grid.SliceGrid
import windrow.core.state.{ByteReader, ByteWriter, Key, KeyBuckets, Spaces, StatePart}
import windrow.core.time.{Axis, Distance, EventTime, Watermark}

/** The windows without messages of all keys of a shard (SEMANTICS R3). A key is forgotten once none of its windows can
  * change, which never happens if `fillGaps` is unlimited.
  */
private[core] final class GapWindows(grid: SliceGrid[Axis.Time], spec: WindowOperatorSpec, store: Spaces)
    extends StatePart {
  private val lateness = spec.latenessInTime
  private val limits = GapLimits(
    lateness,
    new Distance(spec.fillGaps.micros),
    keepsEnded = spec.gapValues.exists(_.carries),
    waits = spec.gapValues.filter(_.isLinear).flatMap(_.atMost).map(span => new Distance(span.micros)))

  /** The watermark after the last step. */
  private var now = Watermark.None

  private val keys =
    new KeyBuckets[KeyGaps]("gaps", store, new KeyGapsCodec(grid, limits), _.deadline(now), deadlinesMove = true)

  /** The state was written with another `fillGaps` limit. */
  private var isOther = false

  private def isOpen(start: Long, at: Watermark): Boolean = !at.reached(grid.end(start), lateness)

  /** Records that a message at this time was accepted. */
  def add(key: Key, time: Long, before: Watermark): Unit = {
    adapt(before)
    val gaps = Option(keys.get(key)).getOrElse(new KeyGaps(grid, limits))
    gaps.add(grid.windowsAt(time).find(isOpen(_, before)).get, grid.lastStart(time), before)
    keys.put(key, gaps)
  }

  private def adapt(before: Watermark): Unit = if (isOther) {
    isOther = false
    now = before
    keys.walkAll.foreach { key =>
      val gaps = keys.get(key)
      gaps.adapt(before)
      keys.put(key, gaps)
    }
  }

  /** Whether a window without messages existed before this step. */
  def isFilled(key: Key, start: Long, before: Watermark): Boolean =
    Option(keys.get(key)).exists(_.isFilled(start, before))

  /** The windows of a key from a start on that existed before this step and had ended. */
  def filled(key: Key, from: Long, before: Watermark): Iterator[Long] =
    Option(keys.get(key)).iterator.flatMap(_.filled(from, before)).filter(isFilled(key, _, before))

  /** All open windows that have ended and exist without messages, or did until messages arrived. */
  def open(at: Watermark): Iterator[(Key, Long)] = {
    val left = at.leaves(lateness)
    val from = if (left == EventTime.Min) left else grid.firstStart(left)
    keys.walkAll.flatMap(key => keys.get(key).filled(from, at).filter(isOpen(_, at)).map((key, _)))
  }

  /** Ends a step: runs `fire` for each key that may have windows without messages from this step on. */
  def fill[E](before: Watermark, now: Watermark)(fire: (Key, EndedGaps) => Iterator[Part[E]]): Iterator[Part[E]] = {
    adapt(before)
    this.now = now
    keys.walk(now.at).filter(keys.get(_).isDue(before, now)).map[Part[E]] { key => out =>
      out.andThen(fire(key, keys.get(key).end(before, now)) ++ Part.silent(leave(key)))
    }
  }

  private def leave(key: Key): Unit = {
    val gaps    = keys.get(key)
    val changed = gaps.tidy(now)
    if (gaps.isOver) keys.remove(key) else if (changed) keys.put(key, gaps)
  }

  /** Records that windows in a range have ended and wait for their completion. */
  def await(key: Key, from: Long, to: Long): Unit = {
    val gaps = keys.get(key)
    gaps.await(from, to)
    keys.put(key, gaps)
  }

  /** The windows of a key that wait, as ranges of their starts. */
  def waiting(key: Key): Vector[(Long, Long)] = keys.get(key).allWaiting

  /** Records that a range of waiting windows fires. */
  def takeAll(key: Key, from: Long, to: Long): Unit = {
    val gaps = keys.get(key)
    gaps.takeAll(from, to)
    keys.put(key, gaps)
  }

  /** Whether a window contains messages; only of windows that are not closed. */
  def isCovered(key: Key, start: Long): Boolean = keys.get(key).isCovered(start)

  /** The last window with messages before another one; None if it may be closed. */
  def lastCovered(key: Key, start: Long): Option[Long] = keys.get(key).lastCovered(start)

  /** Fires waiting windows of a key one after another, as long as they meet `fires`. */
  def take[E](key: Key)(fires: Long => Boolean)(fire: Long => Part[E]): Iterator[Part[E]] =
    Option(keys.get(key)).filter(_.hasWaiting).iterator.flatMap { gaps =>
      Part.silent(keys.put(key, gaps)) ++
        Iterator.continually(gaps.firstWaiting.filter(fires)).takeWhile(_.isDefined).flatten.map[Part[E]] {
          start => out =>
            gaps.take(start)
            fire(start).run(out)
        }
    }

  def keyCount: Long         = keys.size
  override def flush(): Unit = keys.flush()

  def readDirectory(in: ByteReader): Unit = {
    isOther = in.long() != limits.silence.value
    keys.readDirectory(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.long(limits.silence.value)
    keys.writeDirectory(out)
  }
}

private[core] object GapWindows {

  /** The gap windows of a spec; None if it does not request them. */
  def of(grid: SliceGrid[Axis.Time], spec: WindowOperatorSpec, store: Spaces): Option[GapWindows] =
    Option.when(spec.fillsGaps)(new GapWindows(grid, spec, store))
}
