package windrow.replay

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDate, ZonedDateTime}
import windrow.{Calendar, CalendarUnit}

/** Days, weeks, months or years of a time zone. Every start is found on the calendar, never by a length. */
private[windrow] final class ByCalendar(kind: Calendar) extends ReferenceWindows.Aligned {

  private val (origin, unit) = kind.unit match {
    case CalendarUnit.Day   => (LocalDate.of(1970, 1, 1), ChronoUnit.DAYS)
    case CalendarUnit.Week  => (LocalDate.of(1969, 12, 29), ChronoUnit.WEEKS)
    case CalendarUnit.Month => (LocalDate.of(1970, 1, 1), ChronoUnit.MONTHS)
    case CalendarUnit.Year  => (LocalDate.of(1970, 1, 1), ChronoUnit.YEARS)
  }

  def at(time: Long): Seq[Bounds] = {
    val seconds = Instant.ofEpochSecond(Math.floorDiv(time, 1000000L))
    val guess =
      Math.floorDiv(unit.between(origin, ZonedDateTime.ofInstant(seconds, kind.zone).toLocalDate), kind.count.toLong)
    (guess - 1 to guess + 1).map(number => Bounds(start(number), start(number + 1))).filter(window =>
      window.start <= time && time < window.end)
  }

  /** Returns the following windows, each of which starts at the end of the one before. */
  def after(window: Bounds): Iterator[Bounds] = Iterator.iterate(at(window.end).head)(one => at(one.end).head)

  /** Returns midnight in the zone, or the first instant of the day if a clock change skips midnight. */
  private def start(number: Long): Long = {
    val day = origin.plus(Math.multiplyExact(number, kind.count.toLong), unit).atStartOfDay(kind.zone)
    Math.multiplyExact(day.toEpochSecond, 1000000L)
  }
}
