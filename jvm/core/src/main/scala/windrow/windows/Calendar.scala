package windrow

import java.time.{DateTimeException, ZoneId}
import scala.jdk.CollectionConverters._
import windrow.core.grid.{CalendarGrid, SliceGrid}
import windrow.core.time.Axis

/** `[start, end)` windows of `count` calendar units in a time zone, correct across clock changes. They are counted from
  * 1970-01-01, weeks from Monday 1969-12-29. For example, the window of 2026-03-29 in Europe/Berlin has 23 hours.
  */
final case class Calendar(count: Int, unit: CalendarUnit, zone: ZoneId) extends AlignedWindows {
  def problems: Seq[SpecProblem] = Option.when(count < 1)(
    SpecProblem("NOT_POSITIVE.COUNT", "name" -> "size", "value" -> count)).toSeq ++
    mostDays.left.toSeq

  private def mostDays: Either[SpecProblem, TimeSpan] =
    TimeSpan.of(BigInt(count.max(0)) * unit.mostDays * 86400000000L, "size")

  @transient private[windrow] lazy val grid: SliceGrid[Axis.Time] = new CalendarGrid(count.toLong, unit.chrono, zone)

  private[windrow] def longestStep: Option[TimeSpan] = mostDays.toOption

  private def size: String = s"$count $unit${if (count == 1) "" else "s"}"

  /** Its greatest number of days, plus the longest time by which the zone's clocks were ever set back at once. */
  private[windrow] override def longest: Option[TimeSpan] = {
    val rules = zone.getRules
    val back = rules.getTransitions.asScala.map(_.getDuration.getSeconds) ++
      rules.getTransitionRules.asScala.map(rule =>
        (rule.getOffsetAfter.getTotalSeconds - rule.getOffsetBefore.getTotalSeconds).toLong)
    Some(TimeSpan(count * unit.mostDays * 86400000000L - back.minOption.fold(0L)(math.min(_, 0L)) * 1000000L))
  }

  private[windrow] def form: WindowForm = Calendar.Form
  private[windrow] def fields: Seq[(String, Any)] =
    Seq("n" -> count.toLong, "unit" -> unit.toString, "zone" -> zone.getId)
  private[windrow] def inWords: String = AlignedWindows.sideBySide(size, s"aligned to the calendar of $zone")
  override def toString: String        = s"Tumbling('$size', zone='$zone')"
}

object Calendar {
  private[windrow] val Form: WindowForm = WindowForm("calendar", Seq("n", "unit", "zone"), None, read)

  private def read(fields: WindowFields): Option[Calendar] = {
    val count = fields.count("n").filter(count =>
      (-CalendarUnit.MostOf <= count && count <= CalendarUnit.MostOf) || fields.refuse[Unit](
        "COUNT_NOT_UNDERSTOOD.DIGITS",
        "value" -> count).isDefined)
    val unit =
      fields.word("unit", "one of day, week, month, year", "CALENDAR_UNIT_NOT_UNDERSTOOD.WORD", CalendarUnit.All)
    val in = zone(fields)
    for (count <- count; unit <- unit; zone <- in) yield Calendar(count.toInt, unit, zone)
  }

  /** Reads the arguments of the SQL function: `size => '1 month', zone => 'Europe/Berlin'`. */
  private[windrow] def ofSize(fields: WindowFields): Option[Calendar] = {
    if (fields.isSet("start_time"))
      fields.refuse[Unit]("FIELD_UNKNOWN.CALENDAR")
    val size = fields.text("size", "a number of days, weeks, months or years").flatMap(
      CalendarUnit.parse(_).fold(fields.refuse(_), Some(_)))
    size.zip(zone(fields)).map { case ((count, unit), zone) => Calendar(count, unit, zone) }
  }

  private def zone(fields: WindowFields): Option[ZoneId] =
    fields.text("zone", "a time zone, for example 'Europe/Berlin'").flatMap { name =>
      try Some(ZoneId.of(name))
      catch {
        case _: DateTimeException =>
          fields.refuse[ZoneId]("ZONE_UNKNOWN", "zone" -> name)
      }
    }
}
