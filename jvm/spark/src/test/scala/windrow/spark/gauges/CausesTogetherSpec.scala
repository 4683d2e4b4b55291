package windrow.spark.gauges

import org.scalatest.funsuite.AnyFunSuite

/** Causes of queries of which only some rows have an effect (SEMANTICS R74). */
final class CausesTogetherSpec extends AnyFunSuite {
  private val noon = 1735732800000000L
  private val hour = 3600000000L

  test("SEMANTICS R74: a watermark in the future is a cause although an earlier row was accepted") {
    val facts = Facts(
      batch = Some(3),
      counts = Map("read" -> 4L, "accepted" -> 2L, "rejected" -> 2L, "too_late" -> 2L, "panes" -> 1L),
      watermark = Some(noon),
      waiting = Some(Waiting(1, Some(noon + hour), None)),
      now = noon - 2 * hour)
    assert(Causes.of(facts).map(_.code) == Seq("HAS_OUTPUT", "WATERMARK_IN_THE_FUTURE", "WATERMARK_NOT_REACHED"))
    assert(Causes.of(facts.copy(now = noon)).map(_.code) == Seq("HAS_OUTPUT", "WATERMARK_NOT_REACHED"))
  }

  test("SEMANTICS R74: a run without rows does not claim that rows were accepted") {
    val facts = Facts(isActive = false, waiting = Some(Waiting(0, None, None)))
    assert(Causes.of(facts).map(_.code) == Seq("NO_ROWS"))
    assert(Causes.of(facts.copy(waiting = None, open = Some(0))).map(_.code) == Seq("NO_ROWS"))
  }
}
