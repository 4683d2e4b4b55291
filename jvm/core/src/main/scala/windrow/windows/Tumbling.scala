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

  /** Windows by the clocks and the calendar of a time zone: `Tumbling("1 month", zone)`. The size is a number of
    * minutes, hours, days, weeks, months, quarters or years.
    */
  def apply(size: String, zone: ZoneId): Calendar =
    Calendar.parsed(s"Tumbling('$size', zone='$zone')", size, None, None, zone)

  /** The same windows, which start later: weeks from Sunday are `Tumbling("1 week", zone, startTime = "6 days")`. */
  def apply(size: String, zone: ZoneId, startTime: String): Calendar =
    Calendar.parsed(s"Tumbling('$size', startTime='$startTime', zone='$zone')", size, None, Some(startTime), zone)

  /** With a zone, its SQL function creates [[Calendar]] windows. */
  private[windrow] val Form: WindowForm = WindowForm(
    "tumbling",
    Seq("size", "start_time"),
    Some(WindowFunction(
      "windrow_tumble",
      Seq("size", "start_time", "zone"),
      "windows of one size that do not overlap")),
    read)

  private def read(fields: WindowFields): Option[WindowKind] = if (fields.isSet("zone"))
    Calendar.ofTexts(fields, hops = false)
  else {
    val (size, startTime) = (fields.span("size"), fields.spanIfSet("start_time"))
    size.map(Tumbling(_, startTime.getOrElse(TimeSpan.Zero)))
  }
}
