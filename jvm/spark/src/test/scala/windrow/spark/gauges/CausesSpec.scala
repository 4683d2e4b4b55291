package windrow.spark.gauges

import org.scalatest.funsuite.AnyFunSuite

final class CausesSpec extends AnyFunSuite {
  private val noon = 1735732800000000L
  private val hour = 3600000000L

  /** The facts after one micro-batch with a row. */
  private def batch(counts: (String, Long)*): Facts = Facts(
    batch = Some(1),
    counts = Map("read" -> 1L, "accepted" -> 1L) ++ counts,
    watermark = Some(noon),
    newest = Some(noon),
    now = noon)

  private val cases = Seq[(String, Facts, Seq[String])](
    ("the first micro-batch runs", Facts(isBusy = true), Seq("FIRST_BATCH_RUNS")),
    ("there is no input", Facts(), Seq("NO_ROWS")),
    ("all input was read before", Facts(waiting = Some(WaitingPanes(1, Some(noon), None))), Seq("ALREADY_READ")),
    ("an error ended the query", batch().copy(error = Some("no")), Seq("FAILED")),
    ("rows are between windows", batch("accepted" -> 0, "gaps" -> 1), Seq("BETWEEN_WINDOWS")),
    ("rows are duplicates", batch("accepted" -> 0, "duplicates" -> 1), Seq("ALL_DUPLICATES")),
    ("all wait for the clock", batch().copy(waiting = Some(WaitingPanes(1, None, Some(noon)))), Seq("PERIOD_NOT_OVER")),
    ("windows are open", batch().copy(waiting = Some(WaitingPanes(2, Some(noon), None))), Seq("WATERMARK_NOT_REACHED")),
    (
      "the next micro-batch emits the window",
      batch().copy(waiting = Some(WaitingPanes(2, Some(noon), None, next = Some(noon)))),
      Seq("NEXT_BATCH_EMITS")),
    (
      "the next micro-batch does not emit the window",
      batch().copy(waiting = Some(WaitingPanes(2, Some(noon), None, next = Some(noon - 1)))),
      Seq("WATERMARK_NOT_REACHED")),
    (
      "the next micro-batch needs rows",
      batch().copy(runsWithoutData = false, waiting = Some(WaitingPanes(2, Some(noon), None, next = Some(noon)))),
      Seq("ONLY_BATCHES_WITH_DATA", "NEXT_BATCH_EMITS")),
    (
      "the run has ended before the end of a period",
      batch().copy(isActive = false, waiting = Some(WaitingPanes(1, None, Some(noon)))),
      Seq("RUN_ENDED")),
    ("there is output", batch("panes" -> 1).copy(waiting = Some(WaitingPanes(0, None, None))), Seq("HAS_OUTPUT")),
    ("no pane waits", batch().copy(waiting = Some(WaitingPanes(0, None, None))), Seq("NOTHING_WAITS")),
    (
      "the run has ended",
      batch().copy(isActive = false, waiting = Some(WaitingPanes(2, Some(noon), None))),
      Seq("RUN_ENDED")),
    (
      "all rows are late",
      batch("accepted" -> 0, "rejected" -> 1, "too_late" -> 1),
      Seq("ALL_REJECTED")),
    (
      "the watermark is more than an hour ahead of the clock",
      batch("accepted" -> 0, "rejected" -> 1, "too_late" -> 1).copy(now = noon - 2 * hour),
      Seq("WATERMARK_IN_THE_FUTURE")),
    (
      "an input is behind",
      batch("rows" -> 1).copy(inputs = Map("a" -> Some(noon), "b" -> None), heldBackBy = Some("b")),
      Seq("HAS_OUTPUT", "INPUT_HOLDS_WATERMARK")),
    ("two live inputs", batch("rows" -> 1).copy(inputs = Map("a" -> Some(noon), "b" -> Some(1L))), Seq("HAS_OUTPUT")),
    (
      "a source is silent",
      batch("rows" -> 1).copy(quiet = Map("a" -> 3, "b" -> 2), hasSeveralWatermarks = true),
      Seq("HAS_OUTPUT", "SOURCE_IS_SILENT")),
    (
      "a source of a union under one watermark is silent",
      batch("rows" -> 1).copy(quiet = Map("a" -> 3, "b" -> 2)),
      Seq("HAS_OUTPUT")),
    ("the state was not read", batch().copy(open = Some(3)), Seq("WATERMARK_NOT_REACHED")),
    (
      "the state was not read, and Spark needs rows",
      batch().copy(runsWithoutData = false),
      Seq("ONLY_BATCHES_WITH_DATA", "WATERMARK_NOT_REACHED")),
    ("the state was not read, and no window is open", batch().copy(open = Some(0)), Seq("NOTHING_WAITS")),
    ("the state was not read after the end", batch().copy(open = Some(1), isActive = false), Seq("RUN_ENDED")),
    ("an ended run of unknown windows", batch().copy(isActive = false), Nil))

  for ((name, facts, codes) <- cases) test(s"SEMANTICS R74: $name") {
    val found = Causes.of(facts)
    assert(found.map(_.code) == codes)
    assert(found.forall(_.remedy.endsWith(".")))
  }

  test("rows and keys that wait are not called panes") {
    def meaning(n: Long, kind: WaitingPanes.Kind) =
      Causes.of(batch().copy(waiting =
        Some(WaitingPanes(n, Option.when(n > 0)(noon), None, kind)))).map(_.meaning).mkString
    assert(meaning(2, WaitingPanes.kind(Seq("id", "message", "watermark"))).startsWith("2 rows wait in the state; "))
    assert(meaning(
      1,
      WaitingPanes.kind(Seq("id", "o", "s", "watermark", "processing_time"))).startsWith("1 row waits "))
    assert(meaning(3, WaitingPanes.kind(Seq("id", "watermark"))).startsWith(
      "3 keys with undecided rows wait in the state; the first is decided at the watermark 2025-01-01 12:00:00"))
    assert(meaning(0, WaitingPanes.OfKeys) == "Rows were accepted, but none of them can belong to a match any longer.")
    assert(meaning(1, WaitingPanes.kind(Seq("id", "window", "timing", "watermark"))).startsWith("1 pane waits "))
  }

  test("the watermark of the next micro-batch is the present one") {
    val facts =
      batch().copy(watermark = None, waiting = Some(WaitingPanes(1, Some(noon + hour), None, next = Some(noon))))
    assert(Causes.of(facts).map(_.meaning).mkString.contains(", but the watermark is 2025-01-01 12:00:00, "))
  }

  test("numbers, times, and lengths are written as in Python") {
    assert(FigureText.instant(noon) == "2025-01-01 12:00:00")
    assert(FigureText.instant(noon + 500000) == "2025-01-01 12:00:00.500")
    assert(FigureText.instant(noon - 1) == "2025-01-01 11:59:59.999999")
    assert(Seq(0L, 1500L, -999000L, 1060000L, 90 * 1000000L, 2 * 86400000000L + 1).map(FigureText.span) ==
      Seq("0 ms", "2 ms", "-999 ms", "1.06 s", "1 min 30 s", "2 d"))
    assert(Seq(0L, 999L, 3700L, 2110000L).map(FigureText.size) == Seq("0 bytes", "999 bytes", "3.7 kB", "2.11 MB"))
  }
}
