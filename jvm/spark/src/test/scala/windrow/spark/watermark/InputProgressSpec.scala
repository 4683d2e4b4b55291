package windrow.spark.watermark

import org.scalatest.funsuite.AnyFunSuite
import windrow.{SpecError, TimeSpan}

/** Tests which watermark an input reports, with times in milliseconds (SEMANTICS R107). */
class InputProgressSpec extends AnyFunSuite {
  private def input(partitions: Long = 1, idle: Option[Long] = None, delay: Long = 0) =
    InputProgress(delay, idle, partitions, began = 0)

  private def reported(input: InputProgress, others: InputProgress*)(now: Long) =
    InputProgress.reported(input, others, now)

  test("an input of a single partition reports its greatest event time less the delay") {
    val seen = input(delay = 10).see("", 100, now = 1).see("", 70, now = 2)
    assert(reported(input(delay = 10))(5).isEmpty)
    assert(reported(seen)(Long.MaxValue).contains(90L))
  }

  test("the least greatest time of the partitions counts, after as many as are expected have been seen") {
    val one = input(partitions = 2).see("a", 100, now = 1)
    val two = one.see("b", 40, now = 2)
    assert(reported(one)(2).isEmpty && reported(two)(2).contains(40L))
    assert(reported(two.see("b", 300, now = 3))(3).contains(100L))
    assert(reported(two.see("c", 7, now = 3))(3).contains(7L)) // more than expected
    assert(reported(two.see(null, 7, now = 3))(3).contains(7L))
  }

  test("a partition that has been silent for so long does not count, until its next row") {
    val both = input(partitions = 2, idle = Some(10)).see("a", 100, now = 0).see("b", 40, now = 5)
    assert(reported(both)(9).contains(40L))
    assert(reported(both)(10).contains(40L)) // a is idle
    assert(reported(both)(14).contains(40L)) // and b is not
    val later = both.see("a", 200, now = 14)
    assert(reported(later)(15).contains(200L)) // b is idle
    assert(reported(later.see("b", 41, now = 16))(16).contains(41L))
  }

  test("partitions that are expected are waited for until the input could be idle") {
    val one = input(partitions = 2, idle = Some(10)).see("a", 100, now = 5)
    assert(reported(one)(9).isEmpty && reported(one)(10).contains(100L))
  }

  test("an idle input reports the least watermark of the others, whatever its own delay") {
    val quiet = input(idle = Some(10), delay = 3).see("", 5, now = 0)
    val one   = input(delay = 1).see("", 100, now = 0)
    val two   = input().see("", 80, now = 0)
    assert(reported(quiet, one, two)(9).contains(2L))
    assert(reported(quiet, one, two)(10).contains(80L))
    assert(reported(input(idle = Some(10)), one)(10).contains(99L)) // one without any row
  }

  test("an idle input waits for inputs that are not idle, and for none that are") {
    val quiet = input(idle = Some(10)).see("", 5, now = 0)
    val other = input(idle = Some(10)).see("", 6, now = 0)
    val one   = input().see("", 100, now = 0)
    assert(reported(quiet, one, input())(10).isEmpty) // an input without a limit that has no rows yet
    assert(reported(quiet, one, other)(10).contains(100L))
    assert(reported(quiet, other)(10).isEmpty) // all inputs are idle
  }

  test("partitions of several tasks and micro-batches are limited together") {
    val run = new RunProgress(0)
    val id  = java.util.UUID.randomUUID
    run.add(id, 0, WatermarkRule(partitions = Some(1)))
    (1 to EventWatermark.Most).foreach(i => run.see(id, i.toString, 7))
    assert(run.reported(id) == (Some(7L) -> 0))
    run.see(id, "one more", 7)
    val refused = intercept[SpecError](run.reported(id))
    assert(refused.problems.map(_.code) == Seq("WATERMARK_PARTITIONS_COUNT"))
  }

  test("settings of SQL and Scala that do not fit are refused together") {
    def codes(delay: Option[TimeSpan], idle: Option[TimeSpan], by: Boolean, partitions: Option[Long]) =
      EventWatermark.of(delay, idle, by, partitions)._1.map(_.code)
    assert(codes(None, Some("1 s"), by = true, None) == Seq.fill(2)("WATERMARK_SETTING_ALONE"))
    assert(codes(Some("1 s"), Some("0 s"), by = false, Some(3)) == Seq("IDLE_NOT_POSITIVE", "WATERMARK_SETTING_ALONE"))
    assert(codes(Some("1 s"), None, by = true, Some(0)) == Seq("WATERMARK_PARTITIONS_COUNT"))
    assert(EventWatermark.of(Some("1 s"), None, isByPartition = true, None)._2.get.partitions.contains(1L))
    assert(codes(Some("1 s"), Some("1 s"), by = true, Some(10000)).isEmpty)
  }

  test("the watermark of a run is computed with the processing time of its micro-batch") {
    val run    = new RunProgress(0)
    val (a, b) = (java.util.UUID.randomUUID, java.util.UUID.randomUUID)
    run.add(a, 1, WatermarkRule(idle = Some(10)))
    run.add(b, 2, WatermarkRule())
    run.see(a, "", 50)
    run.see(b, "", 60)
    run.add(a, 9, WatermarkRule()) // a later micro-batch adds it again
    assert(run.reported(a) == (Some(49)        -> 1) && run.reported(b) == (Some(58) -> 2))
    assert(run.at(10).reported(a) == (Some(58) -> 1))
  }

  test("R107: a run that begins with a repeated micro-batch counts from its own clock") {
    val run = RunProgress.since(0, clock = Some(100)).at(0)
    val ids = Seq("both", "one").map(_ => java.util.UUID.randomUUID)
    ids.foreach(run.add(_, 0, WatermarkRule(partitions = Some(2), idle = Some(10))))
    run.see(ids.head, "b", 20)
    def reported(now: Long) = {
      run.at(now)
      ids.foreach(run.see(_, "a", 60))
      ids.map(run.reported(_)._1)
    }
    assert(reported(109) == Seq(Some(20), None))     // the run began at 100
    assert(reported(110) == Seq(Some(60), Some(60))) // b is idle, and the other partition is not waited for
    val planned = RunProgress.since(7, clock = None)
    planned.add(ids.head, 0, WatermarkRule(partitions = Some(2), idle = Some(10)))
    planned.at(16).see(ids.head, "a", 50)
    assert(planned.reported(ids.head)._1.isEmpty && planned.at(17).reported(ids.head)._1.contains(50L))
  }

  test("R173: an announced time is the least watermark, whichever partitions there are") {
    val one = input(partitions = 2, delay = 3).see("a", 100, now = 1)
    val two = one.see(InputProgress.Announced, 63, now = 1)
    assert(reported(two)(1).contains(60L))
    assert(reported(two.see("b", 50, now = 2))(2).contains(60L))
    assert(reported(two.see("b", 80, now = 2))(2).contains(77L))
    assert(reported(two.see(InputProgress.Announced, 43, now = 2))(2).contains(60L))
    val quiet = input(idle = Some(10)).see(InputProgress.Announced, 5, now = 7)
    assert(!quiet.isIdle(16) && quiet.isIdle(17))
  }
}
