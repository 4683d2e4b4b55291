package windrow

/** A unit of the calendar; its length can depend on the date.
  *
  * @param of
  *   the unit in which it has a fixed length
  * @param length
  *   its length in that unit
  * @param most
  *   its greatest length, if clocks do not change
  */
sealed abstract class CalendarUnit(
    override val toString: String,
    private[windrow] val of: CalendarUnit.Base,
    private[windrow] val length: Long,
    private[windrow] val most: TimeSpan)

object CalendarUnit {
  private[windrow] sealed trait Base

  private[windrow] object Base {
    case object Minutes extends Base
    case object Days    extends Base
    case object Months  extends Base
  }

  case object Minute  extends CalendarUnit("minute", Base.Minutes, 1, "1 minute")
  case object Hour    extends CalendarUnit("hour", Base.Minutes, 60, "1 hour")
  case object Day     extends CalendarUnit("day", Base.Days, 1, "1 day")
  case object Week    extends CalendarUnit("week", Base.Days, 7, "7 days")
  case object Month   extends CalendarUnit("month", Base.Months, 1, "31 days")
  case object Quarter extends CalendarUnit("quarter", Base.Months, 3, "92 days")
  case object Year    extends CalendarUnit("year", Base.Months, 12, "366 days")

  val All: Seq[CalendarUnit] = Seq(Minute, Hour, Day, Week, Month, Quarter, Year)

  /** The greatest number of units in a window. */
  val MostOf: Int = 999999999

  private val Text = """\s*(-?\d{1,9})\s*([a-zA-Z]+?)s?\s*""".r

  /** Parses text such as "1 month" or "2 weeks".
    *
    * @param name
    *   the setting, for the problem
    */
  def parse(text: String, name: String = "size"): Either[SpecProblem, (Int, CalendarUnit)] = {
    val read = text match {
      case Text(count, word) => named(word.toLowerCase(java.util.Locale.ROOT)).map(unit => (count.toInt, unit))
      case _                 => None
    }
    read.toRight(SpecProblem(
      "CALENDAR_UNIT_NOT_UNDERSTOOD.LENGTH",
      "name"  -> name,
      "value" -> s"'$text'",
      "units" -> All.map(_.toString + "s").mkString(", ")))
  }

  private[windrow] def named(name: String): Option[CalendarUnit] = All.find(_.toString == name)

  private[windrow] def show(count: Long, unit: String): String = s"$count $unit${if (count == 1) "" else "s"}"
}
