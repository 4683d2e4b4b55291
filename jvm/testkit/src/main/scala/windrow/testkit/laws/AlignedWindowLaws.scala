package windrow.testkit

import org.scalacheck.Prop.{forAllNoShrink, propBoolean}
import org.scalacheck.{Gen, Prop, Properties}
import windrow.core.grid.SliceGrid
import windrow.core.time.Axis

/** Laws of every [[windrow.core.grid.SliceGrid]]: windows that depend on a position alone, and the slices that they
  * share.
  *
  * {{{ val laws = new AlignedWindowLaws("ten minutes", grid, Gen.choose(-1000000L, 1000000L)) }}}
  *
  * @param times
  *   positions, far enough from the limits of 64 bits that no window exceeds them
  * @param period
  *   the distance by which all windows can be moved without a change; None if there is none, as in a calendar
  * @param first
  *   the start of the first window, if there is a first
  */
final class AlignedWindowLaws(
    name: String,
    grid: SliceGrid[_ <: Axis],
    times: Gen[Long],
    period: Option[Long] = None,
    first: Long = Long.MinValue) extends Properties(name) {

  private def windowsAt(time: Long): Seq[Long] = grid.windowsAt(time, Long.MinValue).toSeq

  /** Returns the starts of windows from some before a time to some after it. */
  private def around(time: Long): Seq[Long] =
    (Iterator.iterate(grid.lastStart(time))(start => if (start == Long.MinValue) start else grid.lastStart(start - 1))
      .take(40).toSeq.distinct.reverse ++ Iterator.iterate(
      grid.next(grid.lastStart(time)))(grid.next).take(3)).filter(_ >= first)

  property("a window begins before it ends") = forAllNoShrink(times) { time =>
    around(time).filter(_ < Long.MaxValue).map(start => (grid.end(start) > start) :| s"window of $start").reduce(_ && _)
  }

  property("windows go on: each begins after the one before, and does not end before it") =
    forAllNoShrink(times) { time =>
      around(time).filter(_ < Long.MaxValue).map { start =>
        val next = grid.next(start)
        (next > start && (next == Long.MaxValue || grid.end(next) > grid.end(start))) :| s"window after $start"
      }.reduce(_ && _)
    }

  property("the last window before a time is the one whose next begins after it") = forAllNoShrink(times) { time =>
    val last = grid.lastStart(time)
    Prop(last <= time && time < grid.next(last)) && Prop(grid.lastStart(last) == last)
  }

  property("assignment: a time is in exactly the windows that begin at or before it and end after it") =
    forAllNoShrink(times) { time =>
      val expected = around(time).filter(start => start <= time && time < grid.end(start))
      val found    = windowsAt(time)
      (found.takeRight(expected.size) == expected) :| s"of $found all but $expected are wrong or missing" &&
      Prop(found.forall(start => start <= time && time < grid.end(start)))
    }

  property("assignment is total: a time is in a window, or said to be in a gap") = forAllNoShrink(times) { time =>
    Prop(windowsAt(time).isEmpty == grid.inGap(time))
  }

  property("a slice holds its time, and begins where it says") = forAllNoShrink(times) { time =>
    val slice = grid.sliceStart(time)
    Prop(slice <= time) && Prop(grid.sliceStart(slice) == slice)
  }

  property("all times of a slice are in the same windows") = forAllNoShrink(times, times) { (time, other) =>
    val slice = grid.sliceStart(time)
    val near  = if (slice == Long.MinValue) other else slice + Math.floorMod(other, time - slice + 1)
    Prop(grid.inGap(time)) || (Prop(grid.sliceStart(near) == slice) && Prop(windowsAt(near) == windowsAt(time)))
  }

  property("slices cover windows: edges of windows are edges of slices, and no more than said are in one") =
    forAllNoShrink(times) { time =>
      windowsAt(time).filter(grid.end(_) < Long.MaxValue).map { start =>
        val end = grid.end(start)
        val slices = Iterator.iterate(grid.sliceStart(end - 1))(slice => grid.sliceStart(slice - 1))
          .takeWhile(_ >= start).map(_ => 1L).scanLeft(0L)(_ + _).takeWhile(_ <= grid.slicesPerWindow + 1)
        (grid.sliceStart(start) == start) :| s"start $start" && (grid.sliceStart(end) == end) :| s"end $end" &&
        (slices.max <= grid.slicesPerWindow) :| s"slices of [$start, $end)"
      }.foldLeft(Prop.passed)(_ && _)
    }

  for (shift <- period)
    property("moved by its period a time is in the windows moved with it") = forAllNoShrink(times) { time =>
      Prop(windowsAt(time + shift) == windowsAt(time).map(_ + shift)) &&
      Prop(grid.sliceStart(time + shift) == grid.sliceStart(time) + shift)
    }
}
