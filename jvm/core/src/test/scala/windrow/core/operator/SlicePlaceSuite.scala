package windrow.core.operator

import java.time.ZoneId
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.grid.{FixedGrid, SliceGrid}
import windrow.core.operator.aligned.SlicePlace
import windrow.core.time.{Axis, EventTime}
import windrow.{Calendar, CalendarUnit}

/** Compares a place that moves from time to time with the grid itself. */
final class SlicePlaceSuite extends AnyFunSuite {
  private def check(grid: SliceGrid[Axis.Time], times: Iterator[Long]): Unit = {
    val place = new SlicePlace(grid)
    times.foreach { time =>
      place.goTo(time)
      val found = (place.start, place.firstEnd, place.lastEnd, place.isInGap)
      val wanted =
        (grid.sliceStart(time), grid.end(grid.firstStart(time)), grid.end(grid.lastStart(time)), grid.inGap(time))
      assert(found == wanted, s"$time")
    }
  }

  test("windows of any size and step, with gaps too, and times that go to and fro") {
    (1 to 300).foreach { seed =>
      val random = new Random(seed)
      val grid   = new FixedGrid[Axis.Time](1L + random.nextInt(20), 1L + random.nextInt(20), random.nextInt(20).toLong)
      check(grid, Iterator.iterate(0L)(_ + random.nextInt(9) - 4).take(300))
    }
  }

  test("days of 23 and 25 hours, all of time at once, and times at its ends") {
    val hour = 3600L * 1000000
    val days = Calendar(1, CalendarUnit.Day, ZoneId.of("Europe/Berlin")).grid
    check(days, Iterator.range(0, 9000).map(_ * hour))
    check(SliceGrid.SingleWindow, Iterator(-5L, 0, 7, 1 - EventTime.Limit, EventTime.Limit - 1))
    check(new FixedGrid(10, 3, 1), Iterator(1 - EventTime.Limit, EventTime.Limit - 1, 0))
  }
}
