package windrow.core.grid

import java.time.{Instant, LocalDate, LocalDateTime, ZoneId, ZoneOffset}
import java.util.concurrent.TimeUnit
import windrow.core.time.Position

/** Steps of days or months, each of which starts when the clocks of a zone first show its date and time of day.
  *
  * @param count
  *   the number of days or months in a step
  * @param first
  *   the day since the epoch, or the month since January 1970, at which a step starts
  * @param shift
  *   the time by which steps start later, where a day has 24 hours; of months, less than 28 days
  */
private[windrow] final class DateLine(in: ZoneId, areMonths: Boolean, count: Long, first: Long, shift: Long)
    extends CalendarLine {
  import DateLine._

  private val rules   = in.getRules
  private val days    = Math.floorDiv(shift, Day)
  private val seconds = Math.floorMod(shift, Day) / Second
  private val rest    = Math.floorMod(shift, Second)

  def usual: Long = Position.minus(startOf(1), startOf(0))

  def around(time: Long): (Long, Long) = {
    val index = indexByDate(time)
    val next  = startOf(index + 1)
    if (next <= time) (next, startOf(index + 2)) else (startOf(index), next)
  }

  def moved(start: Long, steps: Long): Long = {
    val index = indexByDate(start)
    startOf((if (startOf(index + 1) <= start) index + 1 else index) + steps)
  }

  /** The index of the step of the date that clocks show. If they were set back into the step before, the next step
    * continues.
    */
  private def indexByDate(time: Long): Long = {
    val second = Math.floorDiv(time, Second)
    val part   = if (Math.floorMod(time, Second) < rest) 1 else 0
    val there  = second + rules.getOffset(Instant.ofEpochSecond(second)).getTotalSeconds - seconds - part
    val day    = Math.floorDiv(there, Day / Second) - days
    val units  = if (areMonths) LocalDate.ofEpochDay(day).getLong(Months) - January1970 else day
    Math.floorDiv(units - first, count)
  }

  /** Uses whole seconds, because nanoseconds since the epoch overflow in 2262. */
  private def startOf(index: Long): Long = {
    val units = first + index * count
    val day   = if (areMonths) firstDay(January1970 + units) else units
    val there = LocalDateTime.ofEpochSecond((day + days) * (Day / Second) + seconds, 0, ZoneOffset.UTC)
    val valid = rules.getValidOffsets(there)
    if (valid.isEmpty) TimeUnit.SECONDS.toMicros(rules.getTransition(there).toEpochSecond)
    else Position.plus(TimeUnit.SECONDS.toMicros(there.toEpochSecond(valid.get(0))), rest)
  }
}

private object DateLine {
  private final val Second = 1000000L
  private final val Day    = 86400 * Second
  private val Months       = java.time.temporal.ChronoField.PROLEPTIC_MONTH
  private val January1970  = 1970L * 12

  private def firstDay(month: Long): Long =
    LocalDate.of(Math.floorDiv(month, 12L).toInt, Math.floorMod(month, 12L).toInt + 1, 1).toEpochDay
}
