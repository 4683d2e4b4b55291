package windrow

import java.time.ZoneId

/** Consecutive `[start, end)` windows that do not overlap, aligned to `startTime` after the epoch. With windows of 10
  * minutes, a message of 12:07 is in `[12:00, 12:10)`, one of 12:10 in the next window.
  */
final case class Tumbling(size: TimeSpan, startTime: TimeSpan = TimeSpan.Zero) extends FixedWindows {
  def step: TimeSpan = size

  private[windrow] def form: WindowForm           = Tumbling.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("size" -> size, "start_time" -> startTime)
  private[windrow] def inWords: String            = AlignedWindows.sideBySide(size.toString, aligned)
  override def toString: String                   = s"Tumbling('$size'$shownStartTime)"
}

object Tumbling {

  /** Windows of days, weeks (from Monday), months or years of the calendar in a time zone: `Tumbling("1 month", zone)`.
    */
  def apply(size: String, zone: ZoneId): Calendar = CalendarUnit.parse(size) match {
    case Right((count, unit)) => Calendar(count, unit, zone)
    case Left(problem)        => throw SpecError(s"Tumbling('$size', zone='$zone')", Seq(problem))
  }

  /** With a zone, its SQL function creates [[Calendar]] windows. */
  private[windrow] val Form: WindowForm = WindowForm(
    "tumbling",
    Seq("size", "start_time"),
    Some(WindowFunction(
      "windrow_tumble",
      Seq("size", "start_time", "zone"),
      "windows of one size that do not overlap")),
    read)

  private def read(fields: WindowFields): Option[WindowKind] = if (fields.isSet("zone")) Calendar.ofSize(fields)
  else {
    val (size, startTime) = (fields.span("size"), fields.spanIfSet("start_time"))
    size.map(Tumbling(_, startTime.getOrElse(TimeSpan.Zero)))
  }
}
