package windrow.spark.gauges

import org.scalatest.funsuite.AnyFunSuite

/** The input for which the watermark waits, by the cases of `test_held_back.py`, and the memory of the state. */
final class QueryStatusSpec extends AnyFunSuite {

  /** Returns the input that is named after each micro-batch: its watermark, and the watermarks of the inputs a and b. */
  private def named(batches: (Option[Long], Option[Long], Option[Long])*): Seq[Option[String]] =
    batches.zipWithIndex.scanLeft(QueryStatus()) { case (status, ((mark, a, b), number)) =>
      status.after(
        BatchFigures(number.toLong, Map.empty, Map.empty, Map.empty, Map("a" -> a, "b" -> b), mark, None, Nil))
    }.tail.map(_.heldBackBy)

  private def at(time: Long) = Some(time)

  test("SEMANTICS R74: the memory of a micro-batch with a snapshot is that of before it") {
    val memory = Seq(2000L, 1000000L, 1000000L, 2000L, 1000000L)
    val shown = memory.zipWithIndex.scanLeft(QueryStatus()) { case (status, (bytes, number)) =>
      val levels = Map(Levels.StateBytes -> bytes)
      status.after(BatchFigures(number.toLong, Map.empty, levels, Map.empty, Map.empty, None, None, Nil))
    }
    assert(shown.flatMap(_.levels.get(Levels.StateBytes)) == Seq(2000L, 1000000L, 1000000L, 1000000L, 1000000L))
  }

  test("SEMANTICS R87: inputs with rows do not hold back the watermark, however far one is behind") {
    val live = (0L until 6L).map(i => (Option.when(i > 0)(i * 10 - 10), at(i * 10), at(i * 10 + 5000)))
    assert(named(live: _*).flatten.isEmpty)
  }

  test("SEMANTICS R87: an input without any row holds back the first watermark") {
    assert(named((None, at(10), None), (None, at(20), at(5)), (at(5), None, None)) == Seq(Some("b"), None, None))
  }

  test("SEMANTICS R87: an input is named after three micro-batches without its rows") {
    val silent = (20L to 60L by 10).map(time => (at(5), at(time), None))
    assert(named((None, at(10), at(5)) +: (at(5), None, None) +: silent: _*) ==
      Seq(None, None, None, None, Some("b"), Some("b"), Some("b")))
    assert(named((None, at(10), at(5)) +: silent :+ ((at(5), None, at(70))): _*).last.isEmpty)
  }

  test("SEMANTICS R87: an idle input that the watermark has passed is not named") {
    val released = (20L to 60L by 10).map(time => (at(time - 10), at(time), None))
    val stopped  = Seq.fill(4)((at(60L), at(60L), None))
    assert(named((None, at(10), at(5)) +: released ++: stopped: _*).flatten.isEmpty)
  }

  test("SEMANTICS R87: the least advanced input is named, although another is silent, too") {
    val behind = Seq.fill(5)((at(1), at(1), None))
    assert(named((None, at(1), at(100)) +: behind: _*).flatten.isEmpty)
  }
}
