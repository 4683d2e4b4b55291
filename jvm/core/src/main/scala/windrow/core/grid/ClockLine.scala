package windrow.core.grid

import java.time.zone.ZoneOffsetTransition
import java.time.{Instant, ZoneId}
import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import windrow.core.time.Position

/** Steps of hours or minutes by the clocks of a zone. A change of the clocks by a multiple of the length moves no step,
  * because all clocks show the same minute as before. After any other change, called a shift here, steps follow the
  * new clocks.
  *
  * @param length
  *   the length of a step; divides a day
  * @param origin
  *   the time of day at which a step starts, less than the length
  */
private[windrow] final class ClockLine(in: ZoneId, length: Long, origin: Long) extends CalendarLine {
  import ClockLine._

  private val rules = in.getRules

  /** The shifts that are known one by one. */
  private val known = rules.getTransitions.asScala.filter(isShift).map(new Shift(_)).toArray

  /** The end of the transitions that are known one by one. */
  private val knownUntil = rules.getTransitions.asScala.lastOption.fold(Position.Least)(last => micros(last) + 1)

  /** Whether each year has shifts. */
  private val recurs = rules.getTransitionRules.asScala.exists(rule =>
    isShift(rule.getOffsetAfter.getTotalSeconds - rule.getOffsetBefore.getTotalSeconds))

  def usual: Long = length

  def around(time: Long): (Long, Long) = (at(time), after(time))

  @tailrec
  private def at(time: Long): Long = {
    val shift = lastShift(time)
    val edge  = floor(time, offset(time))
    if (shift == null || edge >= shift.settled) edge
    else if (isEdge(shift)) shift.at
    else at(shift.at - 1)
  }

  @tailrec
  private def after(time: Long): Long = {
    val last = lastShift(time)
    val from = if (last == null) time else math.max(time, last.settled - 1)
    val edge = Position.plus(floor(from, offset(time)), length)
    val next = nextShift(time)
    if (next == null || edge < next.at) edge
    else if (isEdge(next)) next.at
    else after(next.at)
  }

  @tailrec
  def moved(start: Long, steps: Long): Long =
    if (steps == 0) start
    else {
      val free = if (floor(start, offset(start)) == start) unmoved(start, steps > 0) else 0
      val some = math.min(free, math.abs(steps)) * java.lang.Long.signum(steps)
      if (some != 0) moved(Position.plus(start, some * length), steps - some)
      else if (steps > 0) moved(after(start), steps - 1)
      else moved(at(start - 1), steps + 1)
    }

  /** The number of steps after or before a start until a shift. */
  private def unmoved(start: Long, forward: Boolean): Long = {
    val shift = if (forward) nextShift(start) else lastShift(start)
    if (shift == null) Position.Greatest
    else if (forward) (shift.at - 1 - start) / length
    else math.max(0, start - shift.settled) / length
  }

  private def offset(time: Long): Long =
    rules.getOffset(Instant.ofEpochSecond(Math.floorDiv(time, Second))).getTotalSeconds * Second

  /** The last time at or before another one at which clocks with an offset show a start. */
  private def floor(time: Long, offset: Long): Long =
    Position.floor(time, length, Math.floorMod(origin - offset, length))

  /** Whether a step starts at a shift: clocks jump to a start or over it. */
  private def isEdge(shift: Shift): Boolean =
    !shift.isBack && floor(shift.at, shift.offset) >= shift.at - shift.by

  private def isShift(seconds: Int): Boolean                     = seconds * Second % length != 0
  private def isShift(transition: ZoneOffsetTransition): Boolean = isShift(secondsOf(transition))

  /** The last shift at or before a time; null if there is none. */
  private def lastShift(time: Long): Shift =
    if (recurs && time >= knownUntil) found(rules.previousTransition(_))(Math.floorDiv(time, Second) + 1)
    else {
      val after = firstAfter(time)
      if (after == 0) null else known(after - 1)
    }

  /** The first shift after a time; null if there is none. */
  private def nextShift(time: Long): Shift = {
    val after = firstAfter(time)
    if (after < known.length) known(after)
    else if (recurs) found(rules.nextTransition(_))(Math.floorDiv(math.max(time, knownUntil - 1), Second))
    else null
  }

  @tailrec
  private def found(next: Instant => ZoneOffsetTransition)(second: Long): Shift = {
    val transition = next(Instant.ofEpochSecond(second))
    if (transition == null || transition.toEpochSecond >= Position.Greatest / Second) null
    else if (isShift(transition)) new Shift(transition)
    else found(next)(transition.toEpochSecond)
  }

  /** The place in `known` of the first shift after a time. */
  private def firstAfter(time: Long): Int = {
    var (low, high) = (0, known.length)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (known(middle).at <= time) low = middle + 1 else high = middle
    }
    low
  }
}

private object ClockLine {
  private final val Second = 1000000L

  private def micros(transition: ZoneOffsetTransition): Long = transition.toEpochSecond * Second

  private def secondsOf(transition: ZoneOffsetTransition): Int = transition.getDuration.getSeconds.toInt

  /** A change of the clocks that moves steps. */
  private final class Shift(transition: ZoneOffsetTransition) {
    val at: Long     = micros(transition)
    val by: Long     = secondsOf(transition) * Second
    val offset: Long = transition.getOffsetAfter.getTotalSeconds * Second

    def isBack: Boolean = by < 0

    /** The time from which on clocks show no time again that they showed before. */
    val settled: Long = if (isBack) at - by else at
  }
}
