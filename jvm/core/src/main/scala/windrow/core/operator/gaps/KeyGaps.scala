package windrow.core.operator
package gaps

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime
import windrow.core.time.Position
import windrow.core.time.Watermark
import windrow.core.window.SliceGrid

/** The windows of a key that come to be without messages (SEMANTICS R3), named by their starts. None of them is held: they
  * are told as ranges, however many there are.
  *
  * @param limits
  *   how long its windows stay
  * @param first
  *   the first window that the key ever opened
  */
private[core] final class KeyGaps(grid: SliceGrid[Axis.Time], limits: GapLimits, first: Long) {
  import KeyGaps._

  /** From here on no window has been filled. */
  private var next = first

  /** The last window that had a message. */
  private var last = first

  /** Windows from `next` on with messages. */
  private val covered = new StartRanges(grid)

  /** Windows without messages that have not fired yet. */
  private val pending = new StartRanges(grid)

  /** A message has come in this step. */
  private var touched = false

  /** The watermark has gone past all that fills: for good, also under a longer lateness, unless it comes back. */
  private var isSilent = false

  /** A message came for windows with starts from one to another. */
  def add(from: Long, to: Long): Unit = {
    last = math.max(last, to)
    pending.remove(from, to)
    covered.add(math.max(from, next), to)
    touched = true
    isSilent = false
  }

  /** Something may come to be or close, as the watermark stands. */
  def isDue(now: Watermark): Boolean = touched || now.reached(deadline)

  /** The watermark at which it is to be looked at again. */
  def deadline: Long = {
    val fills  = if (isSilent) EventTime.Max else math.min(grid.end(covered.after(next)), silentFrom)
    val closes = pending.first.fold(EventTime.Max)(start => limits.lateness.after(grid.end(start)))
    math.min(fills, closes)
  }

  /** The watermark that makes the key silent. */
  private def silentFrom: Long = Position.plus(grid.end(last), limits.retention)

  /** Windows without messages that end up to the watermark come to be; of a key that is silent, up to where it fell silent,
    * however far the watermark has gone since; at the end of the input up to its last window.
    */
  def fill(now: Watermark): Unit = {
    if (now.isEnd) fillTo(grid.end(last)) else if (now.isDefined) fillTo(math.min(now.micros, silentFrom))
    touched = false
    isSilent = now.reached(silentFrom)
  }

  private def fillTo(end: Long): Unit = {
    val until = grid.lastStart(Position.plus(end, next - grid.end(next)))
    if (next <= until) {
      covered.between(next, until).foreach { case (from, to) => pending.add(from, to) }
      next = grid.next(until)
    }
    next = covered.after(next)
    covered.dropBelow(next)
  }

  /** It came to be without messages, or had some before. */
  def isFilled(start: Long): Boolean = first <= start && start < next

  /** The last window that came to be before `next`. */
  def newest: Option[Long] = Option.when(first < next)(grid.lastStart(next - 1))

  /** Windows from a start on that came to be. */
  def filled(from: Long): Iterator[Long] = Iterator.iterate(math.max(first, from))(grid.next).takeWhile(_ < next)

  def hasPending: Boolean = pending.first.isDefined

  /** The first window that has not fired. */
  def pendingStart: Option[Long] = pending.first

  /** It fires. */
  def take(start: Long): Unit = pending.remove(start, start)

  def read(in: ByteReader): Unit = {
    next = in.long()
    last = in.long()
    val form = in.byte()
    isSilent = form == Silent
    covered.read(in)
    if (form == InRanges || form == Silent) pending.read(in)
    else (0 until in.size()).foreach { _ =>
      val start = in.long()
      pending.add(start, start)
    }
  }

  def write(out: ByteWriter): Unit = {
    Seq(first, next, last).foreach(out.long)
    out.byte(if (isSilent) Silent.toInt else InRanges.toInt)
    covered.write(out)
    pending.write(out)
  }
}

private object KeyGaps {

  /** Windows that have not fired stand as ranges; in older states, which say 0 or 1 here, one by one. */
  val InRanges: Byte = 2

  /** In the same way, of a key that is silent; older states do not say so. */
  val Silent: Byte = 3
}

/** @param lateness
  *   after which a window is closed
  * @param retention
  *   for which a key without messages goes on
  */
private[core] final case class GapLimits(lateness: Distance[Axis.Time], retention: Long)

private[core] final class KeyGapsCodec(grid: SliceGrid[Axis.Time], limits: GapLimits) extends Codec[KeyGaps] {
  def write(gaps: KeyGaps, out: ByteWriter): Unit = gaps.write(out)

  def read(in: ByteReader): KeyGaps = {
    val gaps = new KeyGaps(grid, limits, in.long())
    gaps.read(in)
    gaps
  }
}
