package windrow.core.window

import java.time.Instant
import java.time.LocalDate
import java.time.ZoneId
import java.time.temporal.ChronoUnit
import java.util.concurrent.TimeUnit
import windrow.AlignedWindows
import windrow.Calendar
import windrow.CalendarUnit
import windrow.FixedWindows
import windrow.core.time.Axis
import windrow.core.time.Bounds
import windrow.core.time.EventTime
import windrow.core.time.Position
import windrow.core.time.Position.floor
import windrow.core.time.Position.minus
import windrow.core.time.Position.plus

/** Windows whose bounds depend only on the axis. A slice is the part between two neighboring window edges: all of its
  * messages belong to the same windows (Li and others, No Pane, No Gain: SIGMOD Record 2005). All divisions are floor
  * divisions.
  */
trait SliceGrid[A <: Axis] {

  /** The greatest start of a window at or below a time. */
  def lastStart(time: Long): Long

  /** The start of the earliest window that ends after a time. */
  def firstStart(time: Long): Long

  /** The end of the window that starts at `start`. */
  def end(start: Long): Long

  /** The start of the window after the one that starts at `start`. */
  def next(start: Long): Long

  /** Whether a time belongs to no window, which is possible if the step is longer than the size. */
  def inGap(time: Long): Boolean

  /** The start of the slice that contains a time: the greatest window edge at or below it. */
  def sliceStart(time: Long): Long

  def slicesPerWindow: Long

  /** Whether a time may belong to several windows. */
  def overlaps: Boolean = slicesPerWindow > 1

  /** The bounds of the window that starts at `start`. */
  final def bounds(start: Long): Bounds = Bounds(start, end(start))

  /** Windows that contain a position and start at or after `from`, in order. */
  final def windowsAt(position: Long, from: Long = Position.Least): Iterator[Long] =
    Iterator.iterate(math.max(firstStart(position), from))(next).takeWhile(_ <= position)

  /** Windows with starts from `from` to `to`, inclusive. */
  final def between(from: Long, to: Long): Iterator[Long] = Iterator.iterate(from)(next).takeWhile(_ <= to)

  /** Windows that contain any of some positions and start at or after `first`, in order.
    *
    * @param ceiling
    *   the least of these positions at or above another
    */
  final def windowsOver(first: Long)(ceiling: Long => Option[Long]): Iterator[Long] =
    Iterator.unfold(first)(from =>
      ceiling(from).map { position =>
        val start = math.max(from, firstStart(position))
        (start, next(start))
      })
}

object SliceGrid {
  def apply(windows: AlignedWindows): SliceGrid[Axis.Time] = windows match {
    case fixed: FixedWindows => new FixedGrid(fixed.size.micros, fixed.step.micros, fixed.startTime.micros)
    case calendar: Calendar  => new CalendarGrid(calendar)
  }

  /** A single window for all times. */
  object Everything extends SliceGrid[Axis.Time] {
    def lastStart(time: Long): Long  = EventTime.Min
    def firstStart(time: Long): Long = EventTime.Min
    def end(start: Long): Long       = EventTime.Max
    def next(start: Long): Long      = EventTime.Max
    def inGap(time: Long): Boolean   = false
    def sliceStart(time: Long): Long = EventTime.Min
    def slicesPerWindow: Long        = 1
  }
}

/** Windows of a fixed size at a fixed step. */
final class FixedGrid[A <: Axis](val size: Long, val step: Long, startTime: Long) extends SliceGrid[A] {
  private val origin = Math.floorMod(startTime, step)

  def lastStart(time: Long): Long  = floor(time, step, origin)
  def firstStart(time: Long): Long = plus(floor(minus(time, size), step, origin), step)
  def end(start: Long): Long       = plus(start, size)
  def next(start: Long): Long      = plus(start, step)
  def inGap(time: Long): Boolean   = time >= end(lastStart(time))
  def sliceStart(time: Long): Long = math.max(lastStart(time), end(floor(minus(time, size), step, origin)))
  def slicesPerWindow: Long        = (size + step - 1) / step * (if (size % step == 0) 1 else 2)

  override def overlaps: Boolean = size > step
}

/** Windows of calendar units in a time zone. */
final class CalendarGrid(windows: Calendar) extends SliceGrid[Axis.Time] {
  private val count        = windows.count.toLong
  private val zone: ZoneId = windows.zone

  private val (unit, origin) = windows.unit match {
    case CalendarUnit.Day   => (ChronoUnit.DAYS, LocalDate.EPOCH)
    case CalendarUnit.Week  => (ChronoUnit.WEEKS, LocalDate.EPOCH.minusDays(3)) // a Monday
    case CalendarUnit.Month => (ChronoUnit.MONTHS, LocalDate.EPOCH)
    case CalendarUnit.Year  => (ChronoUnit.YEARS, LocalDate.EPOCH)
  }

  def lastStart(time: Long): Long  = startOf(indexOf(time))
  def firstStart(time: Long): Long = lastStart(time)
  def end(start: Long): Long       = startOf(indexOf(start) + 1)
  def next(start: Long): Long      = end(start)
  def inGap(time: Long): Boolean   = false
  def sliceStart(time: Long): Long = lastStart(time)
  def slicesPerWindow: Long        = 1

  /** The index of the window of a time. Dates are compared, so a day of 23 or 25 hours is one day. If a clock is set
    * back past midnight, into the previous date, the new day continues.
    */
  private def indexOf(time: Long): Long = {
    val date  = Instant.EPOCH.plus(time, ChronoUnit.MICROS).atZone(zone).toLocalDate
    val guess = Math.floorDiv(unit.between(origin, date), count)
    // `between` truncates towards zero, which is one too many before 1970.
    val index = if (origin.plus(guess * count, unit).isAfter(date)) guess - 1 else guess
    if (startOf(index + 1) <= time) index + 1 else index
  }

  /** Uses whole seconds, because nanoseconds since the epoch overflow in 2262. */
  private def startOf(index: Long): Long =
    TimeUnit.SECONDS.toMicros(origin.plus(index * count, unit).atStartOfDay(zone).toEpochSecond)
}
