package windrow

import java.time.DateTimeException
import java.time.ZoneId
import scala.jdk.CollectionConverters._

/** Windows that depend on time alone and are the same for every key. They are half-open and aligned. */
sealed trait AlignedWindows extends WindowKind {
  private[windrow] final def bounds: WindowBounds        = HalfOpen
  private[windrow] final override def isSliced: Boolean  = true
  private[windrow] final override def isAligned: Boolean = true

  /** The greatest distance between the ends of two consecutive windows. */
  private[windrow] def longestStep: Option[TimeSpan]
}

/** Aligned windows of a fixed size. */
sealed trait FixedWindows extends AlignedWindows {
  def size: TimeSpan
  def step: TimeSpan
  def startTime: TimeSpan

  private[windrow] final override def extent: Option[TimeSpan] = Some(size)
  private[windrow] final def longestStep: Option[TimeSpan]     = Some(step)

  final def problems: Seq[SpecProblem] =
    Seq("size" -> size, "step" -> step).distinctBy(_._2).collect {
      case (name, span) if span.micros <= 0 =>
        SpecProblem("NOT_POSITIVE.DURATION", "name" -> name, "value" -> span)
    }

  protected def aligned: String =
    s"aligned to ${if (startTime == TimeSpan.Zero) "" else s"$startTime after "}1970-01-01 00:00:00 UTC"

  protected def shownStartTime: String = if (startTime == TimeSpan.Zero) "" else s", startTime='$startTime'"
}

private object AlignedWindows {
  def sideBySide(size: String, aligned: String): String =
    s"Windows of $size side by side, start included, end not, $aligned. Every message is in one."
}

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
  private[windrow] val Form: WindowForm =
    WindowForm("tumbling", "windrow_tumble", "size", "start_time")(read).copy(arguments =
      Seq("size", "start_time", "zone"))

  private def read(said: WindowFields): Option[WindowKind] = if (said.isSaid("zone")) Calendar.ofSize(said)
  else {
    val (size, startTime) = (said.span("size"), said.spanIfSaid("start_time"))
    size.map(Tumbling(_, startTime.getOrElse(TimeSpan.Zero)))
  }
}

/** `[start, end)` windows of `size`, one every `step`. The step need not divide the size. If it is longer than the
  * size, there are gaps between windows; messages in a gap are counted and belong to no window. With windows of 10
  * minutes every 5 minutes, a message of 12:07 is in `[12:00, 12:10)` and `[12:05, 12:15)`.
  */
final case class Hopping(size: TimeSpan, step: TimeSpan, startTime: TimeSpan = TimeSpan.Zero) extends FixedWindows {
  private[windrow] def form: WindowForm           = Hopping.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("size" -> size, "step" -> step, "start_time" -> startTime)
  private[windrow] def inWords: String =
    s"Windows of $size, start included, end not, one every $step, $aligned. $held"
  override def toString: String = s"Hopping('$size', step='$step'$shownStartTime)"

  private def held: String = {
    val (long, every) = (size.micros, step.micros)
    if (long < every)
      s"Between two lie ${TimeSpan(every - long)} in no window: a message there is counted, not rejected."
    else s"A message is in ${long / every}${if (long % every == 0) "" else s" or ${long / every + 1}"} of them."
  }
}

object Hopping {
  private[windrow] val Form: WindowForm = WindowForm("hopping", "windrow_hop", "size", "step", "start_time") { said =>
    val (size, step, startTime) = (said.span("size"), said.span("step"), said.spanIfSaid("start_time"))
    size.zip(step).map { case (size, step) => Hopping(size, step, startTime.getOrElse(TimeSpan.Zero)) }
  }
}

/** `[start, end)` windows of `count` calendar units in a time zone, correct across clock changes. They are counted from
  * 1970-01-01, weeks from Monday 1969-12-29. For example, the window of 2026-03-29 in Europe/Berlin has 23 hours.
  */
final case class Calendar(count: Int, unit: CalendarUnit, zone: ZoneId) extends AlignedWindows {
  def problems: Seq[SpecProblem] = Option.when(count < 1)(
    SpecProblem("NOT_POSITIVE.COUNT", "name" -> "size", "value" -> count)).toSeq ++
    mostDays.left.toSeq

  private def mostDays: Either[SpecProblem, TimeSpan] =
    TimeSpan.of(BigInt(count.max(0)) * unit.mostDays * 86400000000L, "size")

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
  private[windrow] def inWords: String = AlignedWindows.sideBySide(size, s"as the calendar of $zone has them")
  override def toString: String        = s"Tumbling('$size', zone='$zone')"
}

object Calendar {
  private[windrow] val Form: WindowForm = WindowForm("calendar", Seq("n", "unit", "zone"), None, Nil, read)

  private def read(said: WindowFields): Option[Calendar] = {
    val count = said.count("n").filter(count =>
      (-CalendarUnit.MostOf <= count && count <= CalendarUnit.MostOf) || said.refuse[Unit](
        "COUNT_NOT_UNDERSTOOD.DIGITS",
        "value" -> count).isDefined)
    val unit =
      said.word("unit", "one of day, week, month, year", "CALENDAR_UNIT_NOT_UNDERSTOOD.WORD", CalendarUnit.All)
    val in = zone(said)
    for (count <- count; unit <- unit; zone <- in) yield Calendar(count.toInt, unit, zone)
  }

  /** Reads the arguments of the SQL function: `size => '1 month', zone => 'Europe/Berlin'`. */
  private[windrow] def ofSize(said: WindowFields): Option[Calendar] = {
    if (said.isSaid("start_time"))
      said.refuse[Unit]("FIELD_UNKNOWN.CALENDAR")
    val size = said.text("size", "a number of days, weeks, months or years").flatMap(
      CalendarUnit.parse(_).fold(said.refuse(_), Some(_)))
    size.zip(zone(said)).map { case ((count, unit), zone) => Calendar(count, unit, zone) }
  }

  private def zone(said: WindowFields): Option[ZoneId] =
    said.text("zone", "a time zone, for example 'Europe/Berlin'").flatMap { name =>
      try Some(ZoneId.of(name))
      catch {
        case _: DateTimeException =>
          said.refuse[ZoneId]("ZONE_UNKNOWN", "zone" -> name)
      }
    }
}
