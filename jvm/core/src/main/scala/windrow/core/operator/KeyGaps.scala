package windrow.core.operator

import java.util.{TreeMap => JTreeMap}
import scala.collection.mutable
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.window.RunWindows
import windrow.core.window.SliceGrid

/** The windows of a key that come to be without messages (SEMANTICS R3), named by their starts.
  *
  * @param limits
  *   how long its windows stay
  * @param first
  *   the first window that the key ever opened
  */
private[operator] final class KeyGaps(grid: SliceGrid, limits: GapLimits, first: Long) {

  /** From here on no window has been filled. */
  private var next = first

  /** The last window that had a message. */
  private var last = first

  /** Windows from `next` on with messages: those that go on from a start to another. */
  private val covered = new JTreeMap[Long, Long]

  /** Windows without messages that have not fired yet. */
  private val pending = mutable.TreeSet.empty[Long]

  /** The watermark has passed its last window by the retention. */
  private var isSilent = false

  /** A message has come in this step. */
  private var touched = false

  /** A message came for windows with starts from one to another. */
  def add(from: Long, to: Long): Unit = {
    last = math.max(last, to)
    pending --= pending.range(from, to + 1).toVector
    cover(math.max(from, next), to)
    isSilent = false
    touched = true
  }

  private def cover(from: Long, to: Long): Unit = if (from <= to) {
    val below = covered.floorEntry(from)
    val joins = below != null && grid.next(below.getValue) >= from
    var end   = if (joins) math.max(below.getValue, to) else to
    val start = if (joins) below.getKey.longValue else from
    var above = covered.higherEntry(start)
    while (above != null && above.getKey <= grid.next(end)) {
      end = math.max(end, above.getValue)
      covered.remove(above.getKey)
      above = covered.higherEntry(start)
    }
    covered.put(start, end)
    ()
  }

  /** Something may come to be or close, as the watermark stands. */
  def isDue(now: Watermark): Boolean = touched || now.reached(deadline)

  /** The watermark at which it is to be looked at again. */
  def deadline: Long = {
    val fills  = if (isSilent) Long.MaxValue else math.min(grid.end(skipCovered(next)), silentFrom)
    val closes = pending.headOption.fold(Long.MaxValue)(start => RunWindows.plus(grid.end(start), limits.lateness))
    math.min(fills, closes)
  }

  private def silentFrom: Long = RunWindows.plus(grid.end(last), limits.retention)

  /** Windows without messages that end up to the watermark come to be; of a key that has been silent for longer than it is
    * kept, and at the end of the input, up to its last window.
    */
  def fill(now: Watermark): Unit = {
    if (now == Watermark.End || isSilent) fillTo(grid.end(last)) else if (now.isDefined) fillTo(now.micros)
    isSilent = now.reached(silentFrom)
    touched = false
  }

  private def fillTo(end: Long): Unit = {
    next = skipCovered(next)
    while (grid.end(next) <= end) {
      pending += next
      next = skipCovered(grid.next(next))
    }
    covered.headMap(next).clear()
  }

  private def skipCovered(start: Long): Long = {
    val range = covered.floorEntry(start)
    if (range != null && range.getValue >= start) grid.next(range.getValue) else start
  }

  /** It came to be without messages, or had some before. */
  def isFilled(start: Long): Boolean = first <= start && start < next

  /** The last window that came to be before `next`. */
  def newest: Option[Long] = Option.when(first < next)(grid.lastStart(next - 1))

  def filled: Iterator[Long] = Iterator.iterate(first)(grid.next).takeWhile(_ < next)

  /** Takes the windows that fire now. */
  def take(fires: Long => Boolean): Vector[Long] = {
    val taken = pending.iterator.takeWhile(fires).toVector
    pending --= taken
    taken
  }

  def read(in: ByteReader): Unit = {
    next = in.long()
    last = in.long()
    isSilent = in.byte() == 1
    (0L until in.count()).foreach(_ => covered.put(in.long(), in.long()))
    (0L until in.count()).foreach(_ => pending += in.long())
  }

  def write(out: ByteWriter): Unit = {
    Seq(first, next, last).foreach(out.long)
    out.byte(if (isSilent) 1 else 0)
    out.count(covered.size.toLong)
    covered.forEach { (from, to) => out.long(from); out.long(to) }
    out.count(pending.size.toLong)
    pending.foreach(out.long)
  }
}

/** @param lateness
  *   after which a window is closed
  * @param retention
  *   for which a key without messages goes on
  */
private[operator] final case class GapLimits(lateness: Long, retention: Long)

private[operator] final class KeyGapsCodec(grid: SliceGrid, limits: GapLimits) extends Codec[KeyGaps] {
  def write(gaps: KeyGaps, out: ByteWriter): Unit = gaps.write(out)

  def read(in: ByteReader): KeyGaps = {
    val gaps = new KeyGaps(grid, limits, in.long())
    gaps.read(in)
    gaps
  }
}
