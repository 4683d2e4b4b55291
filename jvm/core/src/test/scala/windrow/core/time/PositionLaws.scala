package windrow.core.time

import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.grid.PositionGrid

/** Compares the arithmetic of positions with integers without limits (SEMANTICS T1): on every pair of numbers near the
  * ends of 64 bits, near their halves and near 0, and on random ones.
  */
class PositionLaws extends AnyFunSuite {
  import Position.{Greatest, Least}

  private val edges = for {
    around <- Seq(Least, -EventTime.Limit, -86400000000L, 0L, 86400000000L, EventTime.Limit, Greatest)
    by     <- -3L to 3L
    edge = BigInt(around) + by if edge.isValidLong
  } yield edge.toLong

  private val numbers: Seq[Long] = {
    val random = new Random(14)
    edges ++ Seq.fill(40)(random.nextLong()) ++ Seq.fill(20)(random.between(-1000L, 1000L))
  }

  private def clamped(exact: BigInt): Long = exact.max(BigInt(Least)).min(BigInt(Greatest)).toLong

  private def law(name: String)(holds: (Long, Long) => Boolean): Unit =
    test(name)(for (a <- numbers; b <- numbers) assert(holds(a, b), s"$a and $b"))

  law("what passes an end of 64 bits stands there, and all else is exact") { (a, b) =>
    Position.plus(a, b) == clamped(BigInt(a) + b) && Position.minus(a, b) == clamped(BigInt(a) - b)
  }

  law("a distance later is never before, and the later of two stays the later") { (a, b) =>
    numbers.forall { by =>
      val (low, high) = (math.min(a, b), math.max(a, b))
      Position.plus(low, by) <= Position.plus(high, by) && Position.minus(low, by) <= Position.minus(high, by)
    }
  }

  law("there and back is where it began, if no end was in the way") { (a, b) =>
    val there = Position.plus(a, b)
    BigInt(there) != BigInt(a) + b || Position.minus(there, b) == a
  }

  law("the ends are left by nothing but what leads back") { (a, _) =>
    (a < 0 || Position.plus(Greatest, a) == Greatest) && (a > 0 || Position.plus(Least, a) == Least)
  }

  law("a grid's place is at or below a position, and nearer than a step") { (position, number) =>
    val step = math.max(1, math.abs(number >> 1))
    Seq(0L, 1L, step / 2, step - 1).distinct.filter(_ < step).forall { origin =>
      val exact = BigInt(position) - (BigInt(position) - origin).mod(BigInt(step))
      Position.floor(position, step, origin) == clamped(exact)
    }
  }

  law("as bytes without a sign positions stand in the same order") { (a, b) =>
    java.lang.Long.compareUnsigned(Position.unsigned(a), Position.unsigned(b)).sign ==
      java.lang.Long.compare(a, b).sign
  }

  law("positions with their types are reckoned as without") { (a, b) =>
    val (at, by) = (Offset(a), new Distance[Axis.Offset](b))
    (at + by).value == Position.plus(a, b) && (at - by).value == Position.minus(a, b) &&
    at.next.value == Position.plus(a, 1) &&
    (by.isEndless || (by.after(a) == (at + by).value && by.before(a) == (at - by).value)) &&
    Distance.endless.after(a) == Greatest && Distance.endless.before(a) == Least
  }

  law("an axis that has passed a position has reached what is no further, and no position is its end") { (a, b) =>
    val front = Front.past(Offset(a))
    front.isDefined && !front.isEnd && front.reached(b) == (b <= math.min(Position.plus(a, 1), Greatest - 1)) &&
    !Front.none[Axis.Offset].reached(a) && Front.end[Axis.Offset].reached(a)
  }

  law(
    "a window has left where its end and the lateness after it are reached, under whichever lateness was the shorter") {
    (at, end) =>
      Seq(0L, 1L, 5L, 86400000000L, Greatest).forall { number =>
        val (front, lateness) = (Watermark(at), new Distance[Axis.Time](number))
        val later             = front.copy(left = front.leaves(lateness))
        end == Least || at == Least || at == Greatest ||
        (front.reached(end, lateness) == (end <= front.leaves(lateness)) &&
          later.reached(end, Distance.endless) == front.reached(end, lateness))
      }
  }

  test("bounds contain their last position but not their end, and meet bounds that share a position") {
    val places = Seq(-2L, -1L, 0L, 1L, 2L)
    for (start <- places; end <- places if start < end) {
      val bounds = Bounds(start, end)
      val inside = (start until end).toSet
      assert(inside(bounds.last) && !inside(bounds.end) && Bounds.to(start, bounds.last) == bounds)
      for (from <- None +: places.map(Some(_)); to <- None +: places.map(Some(_)))
        assert(bounds.meets(from, to) == inside.exists(at => from.forall(_ <= at) && to.forall(at <= _)) ||
          from.exists(first => to.exists(_ < first)))
    }
  }

  test("windows on positions end at the end of the axis, and the last position of all is in none") {
    for ((n, step) <- Seq((5L, 3L), (3L, 5L), (10L, 10L))) {
      val grid = new PositionGrid[Axis.Offset](n, step, start = 10)
      assert(grid.inGap(Greatest))
      for (offset <- Greatest - 30 until Greatest; starts = grid.windowsAt(offset).toSeq) {
        assert(starts.forall(start => start <= offset && offset < grid.end(start)) && starts == starts.distinct.sorted)
        assert(grid.inGap(offset) == starts.isEmpty && starts.size <= n / step + 1)
      }
    }
  }
}
