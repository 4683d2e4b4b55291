package windrow.core.operator
package gaps

import windrow.core.grid.SliceGrid
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.time.{Axis, Distance, EventTime, Position, Watermark}

/** The windows of a key that exist without messages (SEMANTICS R3), identified by their starts. They are stored as
  * ranges, so their number does not matter. The watermark determines which of them have ended, so the state of a silent
  * key does not change.
  */
private[core] final class KeyGaps(grid: SliceGrid[Axis.Time], limits: GapLimits) {
  private val lives = new Lives(grid)

  /** Windows with messages: those that have not ended, and those that received a message in this step. */
  private val covered = new StartRanges(grid)

  /** Windows without messages that have ended and wait for their completion. */
  private val waiting = new StartRanges(grid)

  /** During a step, windows that had ended before the step and that are part of the key's life only because of its
    * messages.
    */
  private val born = new StartRanges(grid)

  /** During a step, windows that had ended before the step and received messages in it. */
  private val arrived = new StartRanges(grid)

  /** A message has arrived in this step. */
  private var isTouched = false

  private def ended(at: Watermark): Long = Lives.lastEnded(grid, at.at)

  /** The first window that has not ended. */
  private def next(at: Watermark): Long = if (at.isDefined) grid.firstStart(at.at) else at.at

  /** Records a message in all windows with starts in a range. */
  def add(from: Long, to: Long, before: Watermark): Unit = {
    lives.add(from, to, limits.silence).foreach { case (start, end) => born.add(start, math.min(end, ended(before))) }
    covered.add(from, to)
    if (limits.keepsEnded) arrived.add(from, math.min(to, ended(before)))
    waiting.remove(from, to)
    isTouched = true
  }

  /** Whether something may end, close or be removed at this watermark. */
  def isDue(before: Watermark, now: Watermark): Boolean = isTouched || now.reached(deadline(before))

  /** The next watermark at which this key is due. */
  def deadline(at: Watermark): Long = {
    val gap    = lives.within(next(at), EventTime.Max).map { case (from, to) => (covered.after(from), to) }
    val ends   = gap.collectFirst { case (start, end) if start <= end => grid.end(start) }
    val closes = waiting.first.map(start => limits.waits.fold(limits.lateness.after(grid.end(start)))(reach(_, start)))
    val known  = limits.waits.flatMap(_ => waiting.last).map(grid.next).filter(covered.holds).map(grid.end)
    val leaves = Option.when(!lives.isEmpty && lives.end < EventTime.Max)(limits.lateness.after(grid.end(lives.end)))
    (ends ++ closes ++ known ++ leaves).minOption.getOrElse(EventTime.Max)
  }

  /** When the windows that wait from a start on fire with what is known of their neighbors (SEMANTICS R122). */
  private def reach(wait: Distance[Axis.Time], start: Long): Long =
    wait.after(grid.end(grid.lastStart(Position.minus(start, 1))))

  /** The windows without messages that exist from this step on. At the end of the input they extend to the last window
    * with messages.
    */
  def end(before: Watermark, now: Watermark): EndedGaps = {
    val until = if (now.isEnd && !lives.isEmpty) lives.lastWithMessages else ended(now)
    val gaps = EndedGaps(
      born.all.flatMap { case (from, to) => covered.between(from, to) }.toVector,
      lives.within(next(before), until).flatMap { case (from, to) => covered.between(from, to) }.toVector,
      changed(ended(before)))
    born.clear()
    arrived.clear()
    gaps
  }

  /** The windows without messages that had fired and that follow a window that received messages in this step. */
  private def changed(until: Long): Vector[(Long, Long)] = arrived.all.flatMap { case (_, last) =>
    val first = grid.next(last)
    for {
      (from, to)   <- covered.between(first, until).takeWhile(_._1 == first)
      (start, end) <- lives.within(from, to)
      old          <- born.between(start, end)
    } yield old
  }.toVector

  /** Removes state that is not needed after a step.
    *
    * @return
    *   whether the state has changed
    */
  def tidy(now: Watermark): Boolean = {
    val changed = dropCovered(now) | dropLives(now) | isTouched
    isTouched = false
    changed
  }

  private def dropCovered(now: Watermark): Boolean =
    if (!limits.keepsEnded) covered.dropBelow(next(now))
    else {
      val left = now.leaves(limits.lateness)
      left != EventTime.Min && covered.dropBelow(grid.firstStart(left))
    }

  private def dropLives(now: Watermark): Boolean = {
    val left = now.leaves(limits.lateness)
    left != EventTime.Min && lives.dropBelow(grid.firstStart(left))
  }

  /** Whether none of its windows can still fire or change. */
  def isOver: Boolean = lives.isEmpty && !hasWaiting

  /** Whether a window without messages existed before this step. */
  def isFilled(start: Long, before: Watermark): Boolean =
    start <= ended(before) && lives.holds(start) && !born.holds(start)

  /** Windows without messages, with starts at or after `from`, that have ended. */
  def filled(from: Long, at: Watermark): Iterator[Long] =
    lives.within(from, ended(at)).flatMap { case (start, end) => grid.between(start, end) }

  def await(from: Long, to: Long): Unit = waiting.add(from, to)
  def hasWaiting: Boolean               = waiting.first.isDefined

  def allWaiting: Vector[(Long, Long)]       = waiting.all.toVector
  def takeAll(from: Long, to: Long): Unit    = waiting.remove(from, to)
  def isCovered(start: Long): Boolean        = covered.holds(start)
  def lastCovered(start: Long): Option[Long] = covered.lastBefore(start)

  /** The first waiting window. */
  def firstWaiting: Option[Long] = waiting.first

  /** Removes a waiting window, which fires. */
  def take(start: Long): Unit = waiting.remove(start, start)

  /** Adapts the state to another `fillGaps` limit. */
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
  *   windows that had ended before the step
  * @param onTime
  *   windows that end in the step
  * @param changed
  *   windows that had fired before the step and follow a window that received messages in it; only if values depend on
  *   those of other windows
  */
private[core] final case class EndedGaps(
    late: Vector[(Long, Long)],
    onTime: Vector[(Long, Long)],
    changed: Vector[(Long, Long)])

/** The durations that limit windows without messages.
  *
  * @param lateness
  *   time after which a window is closed
  * @param silence
  *   time for which a key without messages continues to have windows (`fillGaps`)
  * @param keepsEnded
  *   whether windows with messages are recorded until they are closed, because others depend on them
  * @param waits
  *   how long after the last window with messages windows wait for the next one, if they do
  */
private[core] final case class GapLimits(
    lateness: Distance[Axis.Time],
    silence: Distance[Axis.Time],
    keepsEnded: Boolean,
    waits: Option[Distance[Axis.Time]])

private[core] final class KeyGapsCodec(grid: SliceGrid[Axis.Time], limits: GapLimits) extends Codec[KeyGaps] {
  def write(gaps: KeyGaps, out: ByteWriter): Unit = gaps.write(out)

  def read(in: ByteReader): KeyGaps = {
    val gaps = new KeyGaps(grid, limits)
    gaps.read(in)
    gaps
  }
}
