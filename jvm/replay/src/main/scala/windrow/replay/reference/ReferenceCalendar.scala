package windrow.replay

import java.time.temporal.ChronoUnit
import java.time.zone.ZoneOffsetTransition
import java.time.{Instant, LocalDateTime, ZoneOffset}
import scala.collection.mutable
import windrow.{Calendar, CalendarUnit}

/** Windows of a time zone (SEMANTICS W4, W6, W7, W8). Every start is found on the clocks of the zone, never by a length. */
private[windrow] final class ByCalendar(kind: Calendar) extends ReferenceWindows.Aligned {
  private val rules    = kind.zone.getRules
  private val inWindow = kind.count / kind.step

  def at(time: Long): Seq[Bounds] = near(time).filter(window => window.start <= time && time < window.end)

  def after(window: Bounds): Iterator[Bounds] =
    Iterator.iterate(window)(one => near(one.start).find(_.start > one.start).get).drop(1)

  private val found = mutable.HashMap.empty[Long, Seq[Bounds]]

  /** Returns the windows that contain a time, and some before and after it, by start. */
  private def near(time: Long): Seq[Bounds] = found.getOrElseUpdate(time, searched(time))

  private def searched(time: Long): Seq[Bounds] = kind.unit match {
    case CalendarUnit.Minute  => byClock(time, kind.step)
    case CalendarUnit.Hour    => byClock(time, kind.step * 60)
    case CalendarUnit.Day     => byDate(time, ChronoUnit.DAYS, kind.step, "1970-01-01T00:00")
    case CalendarUnit.Week    => byDate(time, ChronoUnit.DAYS, kind.step * 7, "1969-12-29T00:00")
    case CalendarUnit.Month   => byDate(time, ChronoUnit.MONTHS, kind.step, "1970-01-01T00:00")
    case CalendarUnit.Quarter => byDate(time, ChronoUnit.MONTHS, kind.step * 3, "1970-01-01T00:00")
    case CalendarUnit.Year    => byDate(time, ChronoUnit.MONTHS, kind.step * 12, "1970-01-01T00:00")
  }

  // ---- days and months: a step is a number, and its start a date and a time of day

  private def byDate(time: Long, unit: ChronoUnit, length: Int, origin: String): Seq[Bounds] = {
    val first = LocalDateTime.parse(origin).plusMonths(kind.startTime.months.toLong)
    def start(number: Long) =
      firstShown(first.plus(number * length, unit).plus(kind.startTime.time.micros, ChronoUnit.MICROS))
    val guess = Math.floorDiv(
      unit.between(first.toLocalDate, shown(time).minus(kind.startTime.time.micros, ChronoUnit.MICROS).toLocalDate),
      length.toLong)
    (guess - inWindow - 2 to guess + 3).filter(number => start(number) < start(number + 1))
      .map(number => Bounds(start(number), start(number + inWindow)))
  }

  /** Returns the first time at which the clocks show a date and time of day, or a later one. */
  private def firstShown(there: LocalDateTime): Long = {
    val near    = micros(there.toInstant(ZoneOffset.UTC))
    val changes = changesIn(near - Margin, near + Margin)
    val offsets = (rules.getOffset(instant(near - Margin)) +: changes.map(_.getOffsetAfter)).distinct
    val possible =
      offsets.map(offset => micros(there.toInstant(offset))) ++ changes.map(change => micros(change.getInstant))
    possible.filter(time => !shown(time).isBefore(there)).min
  }

  // ---- hours and minutes: steps start when the clocks show a multiple of their length

  private def byClock(time: Long, minutes: Int): Seq[Bounds] = {
    val length     = minutes * 60000000L
    val (from, to) = (time - (inWindow + 2) * length - Margin / 8, time + (inWindow + 2) * length + Margin / 8)
    val shifts     = changesIn(from - Margin, to).filter(change => micros(change) % length != 0)
    val cuts       = shifts.map(shift => micros(shift.getInstant))
    val between = (from +: cuts.filter(_ > from)).zip(cuts.filter(_ > from) :+ to).flatMap { case (low, high) =>
      val first = low + Math.floorMod(kind.startTime.time.micros - local(low), length)
      Iterator.iterate(first)(_ + length).takeWhile(_ < high)
    }
    val again = (t: Long) =>
      shifts.exists(shift => micros(shift.getInstant) <= t && t < micros(shift.getInstant) - micros(shift))
    val over = shifts.filter(shift =>
      Math.floorMod(local(micros(shift.getInstant)) - kind.startTime.time.micros, length) <= micros(shift))
    (between.filterNot(again) ++ over.map(shift => micros(shift.getInstant)).filter(_ >= from)).distinct.sorted
      .sliding(inWindow + 1).map(edges => Bounds(edges.head, edges.last)).toSeq
  }

  // ---- the clocks of the zone

  private val Margin = 40 * 3600000000L

  private def instant(time: Long): Instant   = Instant.EPOCH.plus(time, ChronoUnit.MICROS)
  private def micros(instant: Instant): Long = ChronoUnit.MICROS.between(Instant.EPOCH, instant)
  private def shown(time: Long): LocalDateTime =
    LocalDateTime.ofInstant(instant(time), rules.getOffset(instant(time)))
  private def local(time: Long): Long = time + rules.getOffset(instant(time)).getTotalSeconds * 1000000L

  /** Returns by how much clocks are set forward; negative if they are set back. */
  private def micros(change: ZoneOffsetTransition): Long = change.getDuration.getSeconds * 1000000L

  private def changesIn(from: Long, to: Long): Seq[ZoneOffsetTransition] =
    Iterator.iterate(rules.nextTransition(instant(from - 1)))(last => rules.nextTransition(last.getInstant))
      .takeWhile(change => change != null && !change.getInstant.isAfter(instant(to))).toSeq
}
