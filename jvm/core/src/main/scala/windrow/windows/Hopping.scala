package windrow

import java.time.ZoneId

/** `[start, end)` windows of `size`, one every `step`. The step need not divide the size. If it is longer than the
  * size, there are gaps between windows; messages in a gap are counted and belong to no window. With windows of 10
  * minutes every 5 minutes, a message of 12:07 is in `[12:00, 12:10)` and `[12:05, 12:15)`.
  */
final case class Hopping(size: TimeSpan, step: TimeSpan, startTime: TimeSpan = TimeSpan.Zero) extends FixedWindows {
  private[windrow] def form: WindowForm           = Hopping.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("size" -> size, "step" -> step, "start_time" -> startTime)
  private[windrow] def inWords: String =
    s"Windows of $size, one every $step, $aligned; the start is inclusive, the end exclusive. $held"
  override def toString: String = s"Hopping('$size', step='$step'$shownStartTime)"

  private def held: String = {
    val (long, every) = (size.micros, step.micros)
    if (long < every)
      s"Between two windows is a gap of ${TimeSpan(every - long)}: a row in it is counted, not rejected."
    else s"A row is in ${long / every}${if (long % every == 0) "" else s" or ${long / every + 1}"} of them."
  }
}

object Hopping {

  /** Windows by the clocks and the calendar of a time zone. With `Hopping("7 days", step = "1 day", zone)` one starts
    * each day. The size must be a multiple of the step.
    */
  def apply(size: String, step: String, zone: ZoneId): Calendar =
    Calendar.parsed(s"Hopping('$size', step='$step', zone='$zone')", size, Some(step), None, zone)

  /** The same windows, which start later. */
  def apply(size: String, step: String, zone: ZoneId, startTime: String): Calendar = Calendar.parsed(
    s"Hopping('$size', step='$step', startTime='$startTime', zone='$zone')",
    size,
    Some(step),
    Some(startTime),
    zone)

  /** With a zone, its SQL function creates [[Calendar]] windows. */
  private[windrow] val Form: WindowForm = WindowForm(
    "hopping",
    Seq("size", "step", "start_time"),
    Some(WindowFunction(
      "windrow_hop",
      Seq("size", "step", "start_time", "zone"),
      "windows of one size, one every step")),
    read)

  private def read(fields: WindowFields): Option[WindowKind] =
    if (fields.isSet("zone")) Calendar.ofTexts(fields, hops = true)
    else {
      val (size, step, startTime) = (fields.span("size"), fields.span("step"), fields.spanIfSet("start_time"))
      size.zip(step).map { case (size, step) => Hopping(size, step, startTime.getOrElse(TimeSpan.Zero)) }
    }
}
