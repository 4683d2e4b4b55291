package windrow.core.window

import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDate, ZoneId}
import org.scalatest.funsuite.AnyFunSuite
import windrow.{Calendar, CalendarUnit}

/** Compares calendar windows with a walk over the days of a zone (SEMANTICS W4). */
class CalendarGridSuite extends AnyFunSuite {
  private def micros(instant: Instant): Long = ChronoUnit.MICROS.between(Instant.EPOCH, instant)
  private def at(text: String): Long         = micros(Instant.parse(text))

  private def grid(count: Int, unit: CalendarUnit, zone: String) =
    Calendar(count, unit, ZoneId.of(zone)).grid

  /** Starts of units, counted from 1970 in both directions by adding one unit after another. */
  private def starts(count: Int, unit: CalendarUnit, zone: String): Seq[Long] = {
    val (from, chrono) = unit match {
      case CalendarUnit.Day   => (LocalDate.of(1970, 1, 1), ChronoUnit.DAYS)
      case CalendarUnit.Week  => (LocalDate.of(1969, 12, 29), ChronoUnit.WEEKS)
      case CalendarUnit.Month => (LocalDate.of(1970, 1, 1), ChronoUnit.MONTHS)
      case CalendarUnit.Year  => (LocalDate.of(1970, 1, 1), ChronoUnit.YEARS)
    }
    val reach = Math.toIntExact(60L * 366 / chrono.getDuration.toDays.max(1) / count + 2)
    (-reach to reach).map(n =>
      micros(from.plus(n.toLong * count, chrono).atStartOfDay(ZoneId.of(zone)).toInstant)).sorted
  }

  for {
    zone          <- Seq("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia")
    (count, unit) <- Seq(1, 3).flatMap(n => CalendarUnit.All.map(n -> _))
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

  test("a day has 23 and 25 hours where the clocks change") {
    val days = grid(1, CalendarUnit.Day, "Europe/Berlin")
    def hours(noon: String) = {
      val start = days.lastStart(at(noon))
      (days.end(start) - start) / 3600000000L
    }
    assert(Seq("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "2026-10-25T12:00:00Z").map(hours) === Seq(24, 23, 25))
  }
}
