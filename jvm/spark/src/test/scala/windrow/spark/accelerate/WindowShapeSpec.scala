package windrow.spark.accelerate

import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** Tests which windows are recognized from the windows of some times (SEMANTICS R97). */
final class WindowShapeSpec extends AnyFunSuite {
  private type Windows = Seq[(Long, Long)]

  private def aligned(size: Long, step: Long, start: Long)(time: Long): Windows = {
    val last = time - Math.floorMod(time - start, step)
    Iterator.iterate(last)(_ - step).takeWhile(_ + size > time).map(from => (from, from + size)).toSeq.sorted
  }

  private def kindOf(windows: Long => Windows, isSession: Boolean = false) = WindowShape.fitted(windows, isSession)

  private def codeOf(windows: Long => Windows, isSession: Boolean = false) =
    kindOf(windows, isSession).left.map(_.code)

  test("windows that lie side by side, and windows that overlap") {
    assert(kindOf(aligned(60000000, 60000000, 0)) == Right(Tumbling("1 minute")))
    assert(kindOf(aligned(60000000, 60000000, 5000000)) == Right(Tumbling("1 minute", startTime = "5 seconds")))
    assert(kindOf(aligned(60000000, 20000000, 0)) == Right(Hopping("1 minute", step = "20 seconds")))
    assert(kindOf(aligned(50000000, 20000000, 7000000)) == Right(
      Hopping("50 seconds", step = "20 seconds", startTime = "7 seconds")))
    assert(kindOf(aligned(3, 1, 0)) == Right(Hopping(TimeSpan(3), TimeSpan(1))))
  }

  test("sessions with a constant gap") {
    assert(kindOf(time => Seq((time, time + 30000000)), isSession = true) == Right(Session("30 seconds")))
    assert(codeOf(time => Seq((time, time + 30000000 + time % 2)), isSession = true) == Left("WINDOW_NOT_RECOGNIZED"))
    assert(codeOf(time => Seq((time, time)), isSession = true) == Left("WINDOW_NOT_RECOGNIZED"))
    assert(codeOf(_ => Nil, isSession = true) == Left("WINDOW_NOT_RECOGNIZED"))
  }

  test("windows that differ at a few times are not recognized") {
    val minute = aligned(60000000, 60000000, 0)(_)
    assert(codeOf(time => if (time < -200000000000000000L) Nil else minute(time)) == Left("WINDOW_NOT_RECOGNIZED"))
    assert(codeOf(time => if (time > 245000000000000000L) minute(time + 60000000) else minute(time)) == Left(
      "WINDOW_NOT_RECOGNIZED"))
    assert(
      codeOf(time => Seq((time / 60000000 * 60000000, time / 60000000 * 60000000 + 60000000))) == Left(
        "WINDOW_NOT_RECOGNIZED"),
      "a division that rounds to zero")
    assert(codeOf(_ => Nil) == Left("WINDOW_NOT_RECOGNIZED"))
    assert(codeOf(time => Seq((time, time))) == Left("WINDOW_NOT_RECOGNIZED"))
  }
}
