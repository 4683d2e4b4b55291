package windrow

import java.time.temporal.ChronoUnit

/** A unit of the calendar; its length can depend on the date. */
sealed abstract class CalendarUnit(
    override val toString: String,
    private[windrow] val mostDays: Long,
    private[windrow] val chrono: ChronoUnit)

object CalendarUnit {
  case object Day   extends CalendarUnit("day", 1, ChronoUnit.DAYS)
  case object Week  extends CalendarUnit("week", 7, ChronoUnit.WEEKS)
  case object Month extends CalendarUnit("month", 31, ChronoUnit.MONTHS)
  case object Year  extends CalendarUnit("year", 366, ChronoUnit.YEARS)

  val All: Seq[CalendarUnit] = Seq(Day, Week, Month, Year)

  /** The greatest number of units in a window. */
  val MostOf: Int = 999999999

  private val Text = """\s*(-?\d{1,9})\s*([a-zA-Z]+?)s?\s*""".r

  /** Parses text such as "1 month" or "2 weeks". */
  def parse(text: String): Either[SpecProblem, (Int, CalendarUnit)] = {
    val read = text match {
      case Text(count, name) =>
        All.find(_.toString == name.toLowerCase(java.util.Locale.ROOT)).map(unit => (count.toInt, unit))
      case _ => None
    }
    read.toRight(SpecProblem(
      "CALENDAR_UNIT_NOT_UNDERSTOOD.LENGTH",
      "value" -> s"'$text'",
      "units" -> All.map(_.toString + "s").mkString(", ")))
  }
}
