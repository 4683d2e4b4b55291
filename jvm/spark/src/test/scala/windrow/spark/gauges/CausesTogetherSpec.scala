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
      waiting = Some(WaitingPanes(1, Some(noon + hour), None)),
      now = noon - 2 * hour)
    assert(Causes.of(facts).map(_.code) == Seq("HAS_OUTPUT", "WATERMARK_IN_THE_FUTURE", "WATERMARK_NOT_REACHED"))
    assert(Causes.of(facts.copy(now = noon)).map(_.code) == Seq("HAS_OUTPUT", "WATERMARK_NOT_REACHED"))
  }

  test("SEMANTICS R74: a run without rows does not claim that rows were accepted") {
    val facts = Facts(isActive = false, waiting = Some(WaitingPanes(0, None, None)))
    assert(Causes.of(facts).map(_.code) == Seq("NO_ROWS"))
    assert(Causes.of(facts.copy(waiting = None, open = Some(0))).map(_.code) == Seq("NO_ROWS"))
  }

  private def chain(minutes: (String, Long)*)(hours: (String, Long)*) = Facts(
    batch = Some(3),
    watermark = Some(noon),
    now = noon).withOperators(Map("hours" -> hours.toMap, "minutes" -> minutes.toMap), Map("hours" -> 1L), None)

  private val first = Seq("read" -> 9L, "accepted" -> 9L, "panes" -> 5L)

  test("SEMANTICS R74: the last operator of a chain decides whether there is output") {
    val facts = chain(first: _*)("read" -> 5L, "accepted" -> 5L)
    assert(Causes.of(facts).map(one => one.code -> one.meaning.takeWhile(_ != ':')) ==
      Seq("WATERMARK_NOT_REACHED" -> "Operator 'hours'"))
    val output = chain(first: _*)("read" -> 5L, "accepted" -> 5L, "panes" -> 2L)
    assert(Causes.of(output).map(_.meaning) == Seq("The query has emitted 2 rows up to micro-batch 3."))
  }

  test("SEMANTICS R74: a later operator that rejects all its rows is named") {
    val facts = chain(first: _*)("read" -> 5L, "rejected" -> 5L, "too_late" -> 5L)
    assert(Causes.of(facts).map(_.meaning) == Seq("Operator 'hours': All 5 rows are rejected: TOO_LATE 5."))
  }

  test("SEMANTICS R74: the first operator without output is examined") {
    val facts = chain("read" -> 9L, "accepted" -> 9L)("read" -> 0L)
    assert(Causes.of(facts).map(_.meaning).head.startsWith("Operator 'minutes': No window has been emitted yet"))
    assert(Causes.of(chain(first: _*)("read" -> 0L)).map(_.remedy) == Seq("Check the filters between the operators."))
  }
}
