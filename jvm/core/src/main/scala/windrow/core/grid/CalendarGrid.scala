package windrow.core.grid

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDate, ZoneId}
import java.util.concurrent.TimeUnit
import windrow.core.time.Axis

/** Windows of calendar units in a time zone. */
final class CalendarGrid(count: Long, unit: ChronoUnit, in: ZoneId) extends SliceGrid[Axis.Time] {
  private val origin = if (unit == ChronoUnit.WEEKS) LocalDate.EPOCH.minusDays(3) else LocalDate.EPOCH // a Monday

  def lastStart(time: Long): Long  = startOf(indexOf(time))
  def firstStart(time: Long): Long = lastStart(time)
  def end(start: Long): Long       = startOf(indexOf(start) + 1)
  def next(start: Long): Long      = end(start)
  def inGap(time: Long): Boolean   = false
  def sliceStart(time: Long): Long = lastStart(time)
  def slicesPerWindow: Long        = 1
  def windowsPerPosition: Long     = 1

  override def zone: Option[ZoneId] = Some(in)

  /** The index of the window of a time. Dates are compared, so a day of 23 or 25 hours is one day. If a clock is set
    * back past midnight, into the previous date, the new day continues.
    */
  private def indexOf(time: Long): Long = {
    val date  = Instant.EPOCH.plus(time, ChronoUnit.MICROS).atZone(in).toLocalDate
    val guess = Math.floorDiv(unit.between(origin, date), count)
    // `between` truncates towards zero, which is one too many before 1970.
    val index = if (origin.plus(guess * count, unit).isAfter(date)) guess - 1 else guess
    if (startOf(index + 1) <= time) index + 1 else index
  }

  /** Uses whole seconds, because nanoseconds since the epoch overflow in 2262. */
  private def startOf(index: Long): Long =
    TimeUnit.SECONDS.toMicros(origin.plus(index * count, unit).atStartOfDay(in).toEpochSecond)
}
