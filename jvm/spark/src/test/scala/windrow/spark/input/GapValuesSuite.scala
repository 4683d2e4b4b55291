package windrow.spark.input

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.{SparkSuite, StepByStep, Windowed, Windrow}

/** Tests the Scala API of values in windows without rows (SEMANTICS R120 to R122). `test_gap_values.py` compares them. */
@Slow
final class GapValuesSuite extends SparkSuite with StepByStep {

  private def minutes(of: Input, lateness: TimeSpan = "0 seconds"): Windowed =
    Windrow.stream(table(of), time = "time", key = Seq("id"), watermark = Some("0 seconds")).lateness(lateness)
      .window(Tumbling("1 minute")).accumulationMode(Accumulating)

  /** The values of each minute: in proportion, of the window before, constant, and without a method. */
  private def values(windows: Windowed) = windows.aggregate(
    avg("value").as("between"),
    max("value").as("before"),
    count(lit(1)).as("n"),
    min("value").as("none")).panes
    .select(
      minute("window.start"),
      col("between"),
      col("before"),
      col("n"),
      col("none"),
      col("pane.timing"),
      col("pane.is_gap"))

  test("SEMANTICS R120, R122: each column has its method, and linear values wait for the next window") {
    val rows = input()
    val methods =
      Seq("between" -> GapMethod.Linear, "before" -> GapMethod.Previous, "n" -> GapMethod.Value(-1L))
    running(values(minutes(rows).fillGaps(GapValues(methods, atMost = Some("5 minutes"))))) { steps =>
      assert(steps(rows.addData(row("a", 0.5, 10))).isEmpty)
      assert(steps(rows.addData(row("a", 4.5, 18))) == Seq(Row(0, 10.0, 10, 1, 10, "ON_TIME", false)))
      assert(steps(rows.addData(row("a", 6, 20))).toSet == Set(
        Row(1, 12.0, 10, -1, null, "ON_TIME", true),
        Row(2, 14.0, 10, -1, null, "ON_TIME", true),
        Row(3, 16.0, 10, -1, null, "ON_TIME", true),
        Row(4, 18.0, 18, 1, 18, "ON_TIME", false)))
      // 5 is between 18 in 4 and 20 in 6; from 7 on, the next window ends more than five minutes later
      assert(steps(rows.addData(row("a", 13, 0))).toSet == Set(
        Row(5, 19.0, 18, -1, null, "ON_TIME", true),
        Row(6, 20.0, 20, 1, 20, "ON_TIME", false)) ++
        (7 to 11).map(gap => Row(gap, null, 20, -1, null, "ON_TIME", true)))
    }
  }

  test("SEMANTICS R122: the gaps of a key without further rows wait until the watermark reaches atMost") {
    val rows   = input()
    val values = GapValues(Seq("between" -> GapMethod.Linear, "before" -> GapMethod.Previous), Some("150 seconds"))
    val gaps = minutes(rows).fillGaps(values).aggregate(avg("value").as("between"), max("value").as("before")).panes
      .where(col("id") === "a" && col("pane.is_gap"))
      .select(minute("window.start"), col("between"), col("before"), col("pane.timing"))
    running(gaps) { steps =>
      rows.addData(row("a", 0.5, 10))
      for (now <- Seq(1.1, 2.1, 3.1, 3.4)) assert(steps(rows.addData(row("b", now, 1))).isEmpty, s"$now")
      assert(steps(rows.addData(row("b", 3.5, 1))).toSet ==
        Set(Row(1, null, 10, "ON_TIME"), Row(2, null, 10, "ON_TIME")))
      assert(steps(rows.addData(row("b", 9, 1))).isEmpty)
    }
  }

  test("SEMANTICS R121: every column has the value before it, and a late row corrects the gaps behind it") {
    val rows   = input()
    val values = GapValues.every(GapMethod.Previous, atMost = Some("2 minutes"))
    val highest = minutes(rows, lateness = "10 minutes").fillGaps(values).aggregate(max("value").as("most")).panes
      .select(minute("window.start"), col("most"), col("pane.timing"), col("pane.index"), col("pane.is_gap"))
    running(highest) { steps =>
      assert(steps(rows.addData(row("a", 0.5, 10))).isEmpty)
      assert(steps(rows.addData(row("a", 6, 30))).toSet == Set(
        Row(0, 10, "ON_TIME", 0, false),
        Row(1, 10, "ON_TIME", 0, true),
        Row(2, 10, "ON_TIME", 0, true)))
      assert(steps(rows.addData(row("a", 0.6, 20))).toSet == Set(
        Row(0, 20, "LATE", 1, false),
        Row(1, 20, "LATE", 1, true),
        Row(2, 20, "LATE", 1, true)))
    }
  }

  test("values and windows that do not fit together are refused") {
    val rows                = input()
    def codes(made: => Any) = intercept[SpecError](made).problems.map(_.code).distinct
    val linear              = GapValues.every(GapMethod.Linear)
    assert(codes(values(minutes(rows).fillGaps(linear))) == Seq("GAP_VALUES"))
    assert(codes(values(minutes(rows, "1 minute").fillGaps(linear.copy(atMost = Some("1 hour"))))) == Seq("GAP_VALUES"))
    val unknown = GapValues(Seq("price" -> GapMethod.Previous), Some("1 hour"))
    assert(codes(values(minutes(rows).fillGaps(unknown))) == Seq("GAP_VALUES"))
  }
}
