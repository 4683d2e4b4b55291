package windrow.core.window

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDate, ZoneId}
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.time.EventTime

/** Compares calendar windows with a walk over the days of a zone (SEMANTICS W4). */
class CalendarGridSuite extends AnyFunSuite {
  private def micros(instant: Instant): Long = ChronoUnit.MICROS.between(Instant.EPOCH, instant)
  private def at(text: String): Long         = micros(Instant.parse(text))

  private def grid(count: Int, unit: CalendarUnit, zone: String) =
    Calendar(count, unit, ZoneId.of(zone)).grid

  /** Starts of units, counted from 1970 in both directions by adding one unit after another. */
  private def starts(count: Int, unit: CalendarUnit, zone: String): Seq[Long] = {
    val (from, chrono) = unit match {
      case CalendarUnit.Week  => (LocalDate.of(1969, 12, 29), ChronoUnit.WEEKS)
      case CalendarUnit.Month => (LocalDate.of(1970, 1, 1), ChronoUnit.MONTHS)
      case CalendarUnit.Year  => (LocalDate.of(1970, 1, 1), ChronoUnit.YEARS)
      case _                  => (LocalDate.of(1970, 1, 1), ChronoUnit.DAYS)
    }
    val reach = Math.toIntExact(60L * 366 / chrono.getDuration.toDays.max(1) / count + 2)
    (-reach to reach).map(n =>
      micros(from.plus(n.toLong * count, chrono).atStartOfDay(ZoneId.of(zone)).toInstant)).sorted
  }

  for {
    zone <- Seq("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia")
    (count, unit) <- Seq(1, 3).flatMap(n =>
      Seq(CalendarUnit.Day, CalendarUnit.Week, CalendarUnit.Month, CalendarUnit.Year).map(n -> _))
  } test(s"$count $unit in $zone") {
    val windows = grid(count, unit, zone)
    val all     = starts(count, unit, zone)
    val random  = new scala.util.Random(7)
    val edges   = Seq.fill(300)(all(1 + random.nextInt(all.size - 3)))
    val inside  = Seq.fill(300)(all.head + 1 + math.floorMod(random.nextLong(), all(all.size - 2) - all.head))
    (edges ++ edges.map(_ - 1) ++ inside).foreach { time =>
      val index = all.lastIndexWhere(_ <= time)
      assert(windows.lastStart(time) === all(index))
      assert(windows.end(all(index)) === all(index + 1))
      assert(windows.firstStart(time) === all(index))
      assert(windows.sliceStart(time) === all(index))
    }
  }

  test("far from today: beyond the years that Java counts in nanoseconds, and before") {
    val years                = grid(1, CalendarUnit.Year, "UTC")
    def second(text: String) = Instant.parse(text).getEpochSecond * 1000000
    Seq("9999", "2500", "0800").foreach { year =>
      val start = years.lastStart(second(s"$year-12-31T23:59:59Z"))
      assert(start === second(s"$year-01-01T00:00:00Z"))
      assert(years.end(start) - 1000000 === second(s"$year-12-31T23:59:59Z"))
    }
  }

  test("the ends of 64 bits") {
    val kinds = Seq("1 hour", "6 hours", "1 day", "1 month").map(tumbling(_, "Europe/Berlin"))
    for (kind <- kinds :+ Hopping("12 hours", step = "6 hours", ZoneId.of("Europe/Berlin"))) {
      assert(kind.grid.next(Long.MaxValue) === Long.MaxValue)
      assert(kind.grid.lastStart(Long.MaxValue) > Long.MaxValue - 40 * 86400000000L)
      val last = EventTime.Limit - 1
      assert(kind.grid.lastStart(last) <= last && last < kind.grid.end(kind.grid.firstStart(last)))
      assert(kind.grid.lastStart(-last) <= -last && -last < kind.grid.end(kind.grid.firstStart(-last)))
    }
  }

  test("a day has 23 and 25 hours where the clocks change") {
    val days = grid(1, CalendarUnit.Day, "Europe/Berlin")
    def hours(noon: String) = {
      val start = days.lastStart(at(noon))
      (days.end(start) - start) / 3600000000L
    }
    assert(Seq("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "2026-10-25T12:00:00Z").map(hours) === Seq(24, 23, 25))
  }

  /** The starts of the windows that follow a time, on the clocks of a zone. */
  private def following(kind: Calendar, from: String, count: Int): Seq[String] =
    Iterator.iterate(kind.grid.lastStart(at(from)))(kind.grid.next).slice(1, count + 1)
      .map(start => Instant.EPOCH.plus(start, ChronoUnit.MICROS).atZone(kind.zone).toOffsetDateTime.toString).toSeq

  private def tumbling(size: String, zone: String, startTime: String = "0 seconds") =
    Tumbling(size, ZoneId.of(zone), startTime)

  test("weeks from Sunday, days from 06:00, months from the 15th, years from 6 April") {
    assert(following(tumbling("1 week", "America/New_York", "-1 day"), "2024-03-05T00:00:00Z", 2) ===
      Seq("2024-03-10T00:00-05:00", "2024-03-17T00:00-04:00"))
    assert(following(tumbling("1 day", "Europe/Berlin", "6 hours"), "2025-03-29T12:00:00Z", 2) ===
      Seq("2025-03-30T06:00+02:00", "2025-03-31T06:00+02:00"))
    assert(following(tumbling("1 month", "Asia/Tokyo", "14 days"), "2024-02-20T00:00:00Z", 1) ===
      Seq("2024-03-15T00:00+09:00"))
    assert(following(tumbling("1 year", "Europe/London", "3 months 5 days"), "2024-01-01T00:00:00Z", 2) ===
      Seq("2024-04-06T00:00+01:00", "2025-04-06T00:00+01:00"))
    assert(following(tumbling("1 quarter", "UTC", "1 month"), "2024-01-15T00:00:00Z", 2) ===
      Seq("2024-02-01T00:00Z", "2024-05-01T00:00Z"))
  }

  test("a day whose start is skipped starts with the change, one whose start is repeated with the first") {
    val days = tumbling("1 day", "Europe/Berlin", "150 minutes")
    assert(following(days, "2025-03-29T12:00:00Z", 2) === Seq("2025-03-30T03:00+02:00", "2025-03-31T02:30+02:00"))
    assert(following(days, "2025-10-25T12:00:00Z", 2) === Seq("2025-10-26T02:30+02:00", "2025-10-27T02:30+01:00"))
    assert(days.grid.lastStart(at("2025-10-26T01:10:00Z")) === at("2025-10-26T00:30:00Z"))
  }

  test("hours are the same hours when clocks change by hours; of half an hour, one is shorter or longer") {
    assert(following(tumbling("1 hour", "Asia/Kolkata"), "2024-01-01T00:00:00Z", 1) === Seq("2024-01-01T06:00+05:30"))
    assert(following(tumbling("1 hour", "Europe/Berlin"), "2025-10-25T23:30:00Z", 3) ===
      Seq("2025-10-26T02:00+02:00", "2025-10-26T02:00+01:00", "2025-10-26T03:00+01:00"))
    val hours = tumbling("1 hour", "Australia/Lord_Howe")
    assert(following(hours, "2024-10-05T14:45:00Z", 3) ===
      Seq("2024-10-06T02:30+11:00", "2024-10-06T03:00+11:00", "2024-10-06T04:00+11:00"))
    assert(following(hours, "2024-04-06T13:30:00Z", 3) ===
      Seq("2024-04-07T01:00+11:00", "2024-04-07T02:00+10:30", "2024-04-07T03:00+10:30"))
  }

  test("several hours follow the clocks: 6 hours are 5 or 7 where they change") {
    val shifts = tumbling("6 hours", "Europe/Berlin")
    assert(following(shifts, "2025-03-29T22:00:00Z", 2) === Seq("2025-03-30T00:00+01:00", "2025-03-30T06:00+02:00"))
    assert(following(shifts, "2025-10-25T21:00:00Z", 2) === Seq("2025-10-26T00:00+02:00", "2025-10-26T06:00+01:00"))
    assert(following(tumbling("2 hours", "Europe/Berlin"), "2025-10-25T22:30:00Z", 2) ===
      Seq("2025-10-26T02:00+02:00", "2025-10-26T04:00+01:00"))
    assert(tumbling(
      "2 hours",
      "Europe/Berlin").grid.lastStart(at("2025-10-26T01:10:00Z")) === at("2025-10-26T00:00:00Z"))
    assert(following(tumbling("8 hours", "Europe/Berlin", "6 hours"), "2025-06-01T00:00:00Z", 3) ===
      Seq("2025-06-01T06:00+02:00", "2025-06-01T14:00+02:00", "2025-06-01T22:00+02:00"))
  }

  test("a window of seven days contains seven dates; a date that does not exist starts none") {
    val week              = Hopping("7 days", step = "1 day", ZoneId.of("Pacific/Apia"))
    val noon              = at("2011-12-29T22:00:00Z") // 12:00 on 29 December
    val windows           = week.grid.windowsAt(noon).map(week.grid.bounds).toSeq
    def day(date: String) = micros(LocalDate.parse(date).atStartOfDay(week.zone).toInstant)
    assert(windows.map(_.start) === (23 to 29).map(n => day(s"2011-12-$n")))
    assert(windows.map(_.end) ===
      Seq("2011-12-31", "2011-12-31", "2012-01-01", "2012-01-02", "2012-01-03", "2012-01-04", "2012-01-05").map(day))
    assert(week.grid.next(windows.last.start) === day("2011-12-31"))
    val quarter = Hopping("1 quarter", step = "1 month", ZoneId.of("UTC"))
    assert(quarter === Calendar(3, 1, CalendarUnit.Month, ZoneId.of("UTC"), CalendarStart.Zero))
  }

  test("windows that no calendar has") {
    val zone = ZoneId.of("Europe/Berlin")
    def codes(kind: => Calendar) =
      try kind.problems.map(_.code)
      catch { case error: SpecError => error.problems.map(_.code) }
    assert(Seq("5 hours", "24 hours", "7 minutes").map(size => codes(Tumbling(size, zone))).distinct ===
      Seq(Seq("DAY_NOT_DIVIDED")))
    assert(Seq("1 month" -> "1 week", "1 day" -> "1 hour", "7 days" -> "2 days", "1 day" -> "2 days").map {
      case (size, step) => codes(Hopping(size, step, zone))
    }.distinct === Seq(Seq("SIZE_NOT_IN_STEPS")))
    assert(Seq("1 month" -> "28 days", "1 month" -> "-1 day", "1 week" -> "1 month").map { case (size, start) =>
      codes(Tumbling(size, zone, start))
    }.distinct === Seq(Seq("START_NOT_IN_CALENDAR")))
    assert(codes(Tumbling("1 fortnight", zone, "soon")) ===
      Seq("CALENDAR_UNIT_NOT_UNDERSTOOD", "DURATION_NOT_UNDERSTOOD"))
  }
}
