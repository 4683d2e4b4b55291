package windrow

import java.time.{DateTimeException, ZoneId}
import scala.jdk.CollectionConverters._
import windrow.CalendarUnit.Base
import windrow.core.grid.{CalendarGrid, ClockLine, DateLine, SliceGrid}
import windrow.core.time.Axis

/** `[start, end)` windows of `count` calendar units in a time zone, one every `step` units, correct across clock
  * changes. They are counted from 1970-01-01, weeks from Monday 1969-12-29. For example, the window of 2026-03-29 in
  * Europe/Berlin has 23 hours. [[Tumbling]] and [[Hopping]] with a zone create them.
  */
final case class Calendar(count: Int, step: Int, unit: CalendarUnit, zone: ZoneId, startTime: CalendarStart)
    extends AlignedWindows {
  private def of = unit.of

  def problems: Seq[SpecProblem] = {
    val wrong = Seq("size" -> count, "step" -> step).distinctBy(_._2).collect {
      case (name, number) if number < 1 => SpecProblem("NOT_POSITIVE.COUNT", "name" -> name, "value" -> number)
    }
    if (wrong.nonEmpty) wrong ++ most.left.toSeq
    else Seq(
      Option.when(count % step != 0)(Calendar.notSteps(length(count), length(step))),
      Option.when(of == Base.Minutes && !dividesDay)(SpecProblem(
        "DAY_NOT_DIVIDED",
        "name"  -> (if (isHopping) "step" else "size"),
        "value" -> length(step))),
      Option.when(of != Base.Months && startTime.months != 0)(SpecProblem(
        "START_NOT_IN_CALENDAR.MONTHS",
        "startTime" -> startTime)),
      Option.when(of == Base.Months && !isInEveryMonth)(SpecProblem(
        "START_NOT_IN_CALENDAR.DAYS",
        "startTime" -> startTime)),
      most.left.toOption).flatten
  }

  private def isHopping: Boolean = step != count

  private def dividesDay: Boolean = {
    val (span, day) = (step * unit.most.micros, CalendarUnit.Day.most.micros)
    span < day && day % span == 0
  }

  /** A day that each month has. */
  private def isInEveryMonth: Boolean =
    0 <= startTime.time.micros && startTime.time.micros < 28 * CalendarUnit.Day.most.micros

  private def most: Either[SpecProblem, TimeSpan] = most(count, "size")

  private def most(number: Int, what: String): Either[SpecProblem, TimeSpan] =
    TimeSpan.of(BigInt(number.max(0)) * unit.most.micros, what)

  @transient private[windrow] lazy val grid: SliceGrid[Axis.Time] = {
    val length = step * unit.length
    val time   = startTime.time.micros
    val line = of match {
      case Base.Minutes =>
        val micros = length * CalendarUnit.Minute.most.micros
        new ClockLine(zone, micros, Math.floorMod(time, micros))
      case Base.Days =>
        val monday = if (unit == CalendarUnit.Week) -3L else 0L
        val shift  = Math.floorMod(time, length * CalendarUnit.Day.most.micros)
        new DateLine(zone, areMonths = false, length, monday, shift)
      case Base.Months =>
        new DateLine(zone, areMonths = true, length, Math.floorMod(startTime.months.toLong, length), time)
    }
    new CalendarGrid(line, (count / step).toLong, zone)
  }

  private[windrow] def longestStep: Option[TimeSpan] = most(step, "step").toOption

  private def length(number: Int): String = CalendarUnit.show(number.toLong, unit.toString)

  /** Its greatest length, plus the longest time by which the zone's clocks were ever set back within it. */
  private[windrow] override def longest: Option[TimeSpan] = {
    val usual = count * unit.most.micros
    Some(TimeSpan(usual + Calendar.mostSetBack(zone, usual)))
  }

  private[windrow] def form: WindowForm = Calendar.Form

  private[windrow] def fields: Seq[(String, Any)] =
    Seq("n" -> count.toLong, "unit" -> unit.toString, "zone" -> zone.getId) ++
      Option.when(isHopping)("step" -> step.toLong) ++
      Option.when(startTime.months != 0)("start_months" -> startTime.months.toLong) ++
      Option.when(startTime.time != TimeSpan.Zero)("start_time" -> startTime.time)

  private[windrow] def inWords: String = {
    val aligned =
      s"aligned to the calendar of $zone" + (if (startTime.isZero) "" else s" with startTime='$startTime'")
    if (isHopping)
      s"Windows of ${length(count)}, one every ${length(step)}, $aligned; the start is inclusive, the end exclusive. " +
        s"A row is in ${count / step} of them."
    else AlignedWindows.sideBySide(length(count), aligned)
  }

  override def toString: String = {
    val (name, by) = if (isHopping) ("Hopping", s", step='${length(step)}'") else ("Tumbling", "")
    val start      = if (startTime.isZero) "" else s", startTime='$startTime'"
    s"$name('${length(count)}'$by$start, zone='$zone')"
  }
}

object Calendar {

  /** Windows that do not overlap and start with their unit. */
  def apply(count: Int, unit: CalendarUnit, zone: ZoneId): Calendar =
    Calendar(count, count, unit, zone, CalendarStart.Zero)

  private[windrow] val Form: WindowForm =
    WindowForm("calendar", Seq("n", "unit", "zone", "step", "start_months", "start_time"), None, read)

  private def read(fields: WindowFields): Option[Calendar] = {
    val count  = number(fields, "n", fields.count("n"))
    val words  = CalendarUnit.All.mkString("one of ", ", ", "")
    val unit   = fields.word("unit", words, CalendarUnit.All, "CALENDAR_UNIT_NOT_UNDERSTOOD.WORD")
    val in     = zoneOf(fields)
    val step   = number(fields, "step", fields.countIfSet("step"))
    val months = number(fields, "start_months", fields.countIfSet("start_months"))
    val time   = fields.spanIfSet("start_time")
    val start  = CalendarStart(months.getOrElse(0), time.getOrElse(TimeSpan.Zero))
    for { count <- count; unit <- unit; in <- in } yield Calendar(count, step.getOrElse(count), unit, in, start)
  }

  private def number(fields: WindowFields, name: String, read: Option[Long]): Option[Int] = read.filter(count =>
    (-CalendarUnit.MostOf <= count && count <= CalendarUnit.MostOf) || fields.refuse[Unit](
      "COUNT_NOT_UNDERSTOOD.DIGITS",
      "name"  -> name,
      "value" -> count).isDefined).map(_.toInt)

  /** Reads the texts of a size, a step and a start time, as users write them; the zone is missing yet. */
  private[windrow] def parse(
      size: String,
      step: Option[String],
      startTime: Option[String]): Either[Seq[SpecProblem], ZoneId => Calendar] = {
    val long  = CalendarUnit.parse(size)
    val every = step.map(CalendarUnit.parse(_, "step"))
    val start = startTime.fold[Either[SpecProblem, CalendarStart]](Right(CalendarStart.Zero))(CalendarStart.parse)
    (long, every.getOrElse(long), start) match {
      case (Right((count, unit)), Right((by, in)), Right(from)) =>
        val whole = BigInt(count) * unit.length
        if (unit.of == in.of && whole % in.length == 0 && whole / in.length <= CalendarUnit.MostOf)
          Right(Calendar((whole / in.length).toInt, by, in, _, from))
        else
          Left(Seq(notSteps(CalendarUnit.show(count.toLong, unit.toString), CalendarUnit.show(by.toLong, in.toString))))
      case _ => Left(Seq(Some(long), every, Some(start)).flatten.flatMap(_.left.toOption))
    }
  }

  /** Reads the same texts, or throws the problems of a call. */
  private[windrow] def parsed(
      call: => String,
      size: String,
      step: Option[String],
      startTime: Option[String],
      zone: ZoneId): Calendar =
    parse(size, step, startTime).fold(problems => throw SpecError(call, problems), _(zone))

  /** Reads the arguments of an SQL function: `size => '1 month', zone => 'Europe/Berlin'`.
    *
    * @param hops
    *   whether it has a step
    */
  private[windrow] def ofTexts(fields: WindowFields, hops: Boolean): Option[Calendar] = {
    val length       = CalendarUnit.All.map(unit => s"${unit}s").mkString("a number of ", ", ", "")
    val (size, zone) = (fields.text("size", length), zoneOf(fields))
    val step         = Option.when(hops)(fields.text("step", length))
    if (size.isEmpty || step.contains(None)) None
    else parse(size.get, step.flatten, fields.nameIfSet("start_time")) match {
      case Right(calendar) => zone.map(calendar)
      case Left(problems)  => problems.flatMap(fields.refuse[Calendar](_)).headOption
    }
  }

  private def notSteps(size: String, step: String): SpecProblem =
    SpecProblem("SIZE_NOT_IN_STEPS", "size" -> size, "step" -> step)

  /** The longest time by which clocks of a zone were set back within a time. */
  private def mostSetBack(zone: ZoneId, within: Long): Long = {
    val rules = zone.getRules
    val known = rules.getTransitions.asScala.toVector
    val years = known.lastOption.fold(0)(_.getDateTimeBefore.getYear)
    val later = rules.getTransitionRules.asScala.flatMap(rule => (1 to 2).map(n => rule.createTransition(years + n)))
    val all   = (known ++ later).sortBy(_.toEpochSecond)
    val backs = all.indices.map { first =>
      all.drop(first).takeWhile(change => change.toEpochSecond - all(first).toEpochSecond < within / 1000000L)
        .scanLeft(0L)(_ - _.getDuration.getSeconds).max
    }
    backs.maxOption.getOrElse(0L) * 1000000L
  }

  private def zoneOf(fields: WindowFields): Option[ZoneId] =
    fields.text("zone", "a time zone, for example 'Europe/Berlin'").flatMap { name =>
      try Some(ZoneId.of(name))
      catch {
        case _: DateTimeException =>
          fields.refuse[ZoneId]("ZONE_UNKNOWN", "zone" -> name)
      }
    }
}
