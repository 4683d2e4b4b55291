package windrow

import java.util.Locale

/** By how much calendar windows start later than their unit: "6 hours", or "3 months 5 days" for years from 6 April.
  *
  * @param time
  *   a part that is added after the months; a day of it is a day of the calendar
  */
final case class CalendarStart(months: Int, time: TimeSpan) {
  private[windrow] def isZero: Boolean = this == CalendarStart.Zero

  override def toString: String = {
    val (days, rest) = (time.micros / CalendarStart.Day, TimeSpan(time.micros % CalendarStart.Day))
    val parts = Seq(
      Option.when(months != 0)(CalendarUnit.show(months.toLong, "month")),
      Option.when(days != 0)(CalendarUnit.show(days, "day")),
      Option.when(rest != TimeSpan.Zero)(rest.toString)).flatten
    if (parts.isEmpty) TimeSpan.Zero.toString else parts.mkString(" ")
  }
}

object CalendarStart {
  val Zero: CalendarStart = CalendarStart(0, TimeSpan.Zero)

  private val Day = CalendarUnit.Day.most.micros

  private val Part = """([+-]?\d{1,9})\s*(month|quarter|year)s?(?![a-z])\s*""".r

  /** Parses a duration that may also have months, quarters and years. */
  def parse(text: String): Either[SpecProblem, CalendarStart] = {
    val lower = text.trim.toLowerCase(Locale.ROOT).stripPrefix("interval ")
    val months = Part.findAllMatchIn(lower).map(part =>
      part.group(1).toLong * CalendarUnit.named(part.group(2)).fold(0L)(_.length)).sum
    val rest = Part.replaceAllIn(lower, "")
    if (math.abs(months) > CalendarUnit.MostOf) Left(TimeSpan.tooLong(s"'$text'"))
    else if (rest.trim.isEmpty && lower.nonEmpty) Right(CalendarStart(months.toInt, TimeSpan.Zero))
    else TimeSpan.parse(rest).map(CalendarStart(months.toInt, _))
  }
}
