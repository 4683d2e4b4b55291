package windrow.core.operator
package gaps

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.EventTime
import windrow.core.time.Watermark
import windrow.core.window.SliceGrid

/** The windows of a key that exist without messages (SEMANTICS R3), named by their starts. None of them is held: they are
  * ranges, however many there are. Which of them have ended the watermark shows, so a key that is silent does not change.
  */
private[core] final class KeyGaps(grid: SliceGrid[Axis.Time], limits: GapLimits) {
  private val lives = new Lives(grid)

  /** Windows with messages: of those that have not ended all, and those that a message of this step came to. */
  private val covered = new StartRanges(grid)

  /** Windows without messages that have ended and wait for their completion. */
  private val waiting = new StartRanges(grid)

  /** In a step, windows that had ended before it and in which the key lives only since its messages. */
  private val born = new StartRanges(grid)

  /** A message has come in this step. */
  private var isTouched = false

  private def ended(at: Watermark): Long = Lives.lastEnded(grid, at.at)

  /** The first window that has not ended. */
  private def next(at: Watermark): Long = if (at.isDefined) grid.firstStart(at.at) else at.at

  /** A message came for windows with starts from one to another. */
  def add(from: Long, to: Long, before: Watermark): Unit = {
    lives.add(from, to, limits.silence).foreach { case (start, end) => born.add(start, math.min(end, ended(before))) }
    covered.add(from, to)
    waiting.remove(from, to)
    isTouched = true
  }

  /** Something may end, close or leave, as the watermark stands. */
  def isDue(before: Watermark, now: Watermark): Boolean = isTouched || now.reached(deadline(before))

  /** The watermark after this one at which it is to be looked at again. */
  def deadline(at: Watermark): Long = {
    val gap    = lives.within(next(at), EventTime.Max).map { case (from, to) => (covered.after(from), to) }
    val ends   = gap.collectFirst { case (start, end) if start <= end => grid.end(start) }
    val closes = waiting.first.map(start => limits.lateness.after(grid.end(start)))
    val leaves = Option.when(!lives.isEmpty && lives.end < EventTime.Max)(limits.lateness.after(grid.end(lives.end)))
    (ends ++ closes ++ leaves).minOption.getOrElse(EventTime.Max)
  }

  /** The windows without messages that exist from this step on. At the end of the input they go up to the last window with
    * messages.
    */
  def end(before: Watermark, now: Watermark): EndedGaps = {
    val until = if (now.isEnd) lives.lastWithMessages else ended(now)
    val gaps = EndedGaps(
      born.all.flatMap { case (from, to) => covered.between(from, to) }.toVector,
      lives.within(next(before), until).flatMap { case (from, to) => covered.between(from, to) }.toVector)
    born.clear()
    gaps
  }

  /** @return
    *   whether it has changed
    */
  def tidy(now: Watermark): Boolean = {
    val changed = covered.dropBelow(next(now)) || isTouched
    isTouched = false
    changed
  }

  /** It has no window any more that may still change. */
  def isOver(now: Watermark): Boolean = {
    val left = now.leaves(limits.lateness)
    if (left != EventTime.Min) lives.dropBelow(grid.firstStart(left))
    lives.isEmpty
  }

  /** A window without messages existed before this step. */
  def isFilled(start: Long, before: Watermark): Boolean =
    start <= ended(before) && lives.holds(start) && !born.holds(start)

  /** Windows from a start on that have ended. */
  def filled(from: Long, at: Watermark): Iterator[Long] =
    lives.within(from, ended(at)).flatMap { case (start, end) => grid.between(start, end) }

  def await(from: Long, to: Long): Unit = waiting.add(from, to)
  def hasWaiting: Boolean               = waiting.first.isDefined

  /** The first window that waits. */
  def firstWaiting: Option[Long] = waiting.first

  /** It fires. */
  def take(start: Long): Unit = waiting.remove(start, start)

  /** The silence was another one until now. */
  def adapt(before: Watermark): Unit = lives.adapt(limits.silence, ended(before))

  def read(in: ByteReader): Unit = {
    lives.read(in)
    covered.read(in)
    waiting.read(in)
  }

  def write(out: ByteWriter): Unit = {
    lives.write(out)
    covered.write(out)
    waiting.write(out)
  }
}

/** Windows without messages that exist from a step on, as ranges of their starts.
  *
  * @param late
  *   they had ended before the step
  * @param onTime
  *   they end in it
  */
private[core] final case class EndedGaps(late: Vector[(Long, Long)], onTime: Vector[(Long, Long)])

/** @param lateness
  *   after which a window is closed
  * @param silence
  *   for which a key without messages goes on
  */
private[core] final case class GapLimits(lateness: Distance[Axis.Time], silence: Distance[Axis.Time])

private[core] final class KeyGapsCodec(grid: SliceGrid[Axis.Time], limits: GapLimits) extends Codec[KeyGaps] {
  def write(gaps: KeyGaps, out: ByteWriter): Unit = gaps.write(out)

  def read(in: ByteReader): KeyGaps = {
    val gaps = new KeyGaps(grid, limits)
    gaps.read(in)
    gaps
  }
}
