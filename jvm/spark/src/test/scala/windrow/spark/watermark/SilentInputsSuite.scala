package windrow.spark.watermark

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.{SparkSuite, StepByStep, Stream, Windrow}

/** Tests the Scala API of watermarks that wait for partitions and inputs, until they are silent (SEMANTICS R107). */
@Slow
final class SilentInputsSuite extends SparkSuite with StepByStep {

  private def stream(of: Input, name: String) =
    Windrow.stream(table(of), time = "time", watermark = Some("0 seconds"), name = name).lateness("0 seconds")

  /** The rows of each minute, and why others are rejected. */
  private def counted(stream: Stream) =
    stream.window(Tumbling("1 minute")).aggregate(count(lit(1)).as("n")).output
      .select(minute("panes.window.start"), col("panes.n"), col("rejected.reason"))

  private val late = Row(null, null, "TOO_LATE")

  test("SEMANTICS R107: watermarkBy waits for the partition that is behind") {
    val (both, one) = (input(), input())
    running(counted(stream(both, "both").watermarkBy("id", Some(2)))) { steps =>
      assert(steps(both.addData(row("p", 0.2), row("p", 5))).isEmpty) // q may have rows of any time
      assert(steps(both.addData(row("q", 0.5))).isEmpty)              // the watermark is 0:30
      assert(steps(both.addData(row("q", 2))) == Seq(Row(0, 2, null)))
      assert(steps(both.addData(row("p", 1.5))) == Seq(late))
    }
    running(counted(stream(one, "one"))) { steps =>
      assert(steps(one.addData(row("p", 0.2), row("p", 5))) == Seq(Row(0, 1, null)))
      assert(steps(one.addData(row("q", 0.5))) == Seq(late))
    }
  }

  test("SEMANTICS R107: without their number, watermarkBy does not wait for further partitions") {
    val rows = input()
    running(counted(stream(rows, "rows").watermarkBy("id"))) { steps =>
      assert(steps(rows.addData(row("p", 0.2), row("p", 5))) == Seq(Row(0, 1, null)))
      assert(steps(rows.addData(row("q", 4.5), row("p", 9))) == Seq(late)) // q is behind from now on
      assert(steps(rows.addData(row("q", 5.5))).isEmpty)
      assert(steps(rows.addData(row("q", 6))) == Seq(Row(5, 2, null)))
    }
  }

  test("SEMANTICS R107: a partition without rows for the time of idle does not count") {
    val rows = input()
    running(counted(stream(rows, "rows").watermarkBy("id", Some(2)).idle("1 minute"))) { steps =>
      steps.clock(0)
      assert(steps(rows.addData(row("p", 5), row("q", 0.5))).isEmpty)
      steps.clock(0.9)
      assert(steps(rows.addData(row("p", 6))).isEmpty)
      steps.clock(2)
      assert(steps(rows.addData(row("p", 7))).toSet == Set(Row(0, 1, null), Row(5, 1, null), Row(6, 1, null)))
      assert(steps(rows.addData(row("q", 8), row("p", 9))) == Seq(Row(7, 1, null))) // q counts again
    }
  }

  test("SEMANTICS R107: an input of a join and of a co-group that is idle holds nothing back") {
    def check(output: (Stream, Stream) => DataFrame)(due: Row*)(paired: Row*): Unit = {
      val orders, ships = input()
      running(output(stream(orders, "o"), stream(ships, "s").idle("2 hours"))) { steps =>
        steps.clock(0)
        assert(steps { orders.addData(row("a", 0)); ships.addData(row("z", 0)) }.isEmpty)
        steps.clock(90)
        assert(steps(orders.addData(row("b", 90))).isEmpty)
        steps.clock(180)
        assert(steps(orders.addData(row("c", 180))).toSet == due.toSet)
        assert(steps(ships.addData(row("b", 95))) == Seq(late))
        assert(steps(ships.addData(row("c", 182))) == paired)
      }
    }
    check((o, s) =>
      Windrow.join(o, s)(on = Seq("id"), within = Within("0 minutes", "5 minutes"), how = JoinKind.Left).output
        .select(col("rows.id"), minute("rows.s.time"), col("rejected.reason")))(
      Row("a", null, null),
      Row("b", null, null))(Row("c", 182, null))
    check((o, s) =>
      Windrow.cogroup(o, s).window(Tumbling("1 hour")).aggregate(count("o.id").as("o"), count("s.id").as("s")).output
        .select(col("panes.o"), col("panes.s"), col("rejected.reason")))(Row(1, 1, null), Row(1, 0, null))()
  }

  test("settings that have no effect are refused") {
    val rows                = input()
    def codes(made: => Any) = intercept[SpecError](made).problems.map(_.code)
    assert(codes(counted(stream(rows, "rows").idle("1 minute"))) == Seq("IDLE_OF_ONE_INPUT"))
    assert(codes(counted(stream(rows, "rows").watermarkBy("id", Some(0)).idle("0 seconds"))) ==
      Seq("IDLE_NOT_POSITIVE", "WATERMARK_PARTITIONS_COUNT"))
    assert(codes(counted(stream(rows, "rows").watermarkBy("shop"))) == Seq("QUERY_REFUSED"))
    val unmarked = stream(rows, "rows").copy(watermark = None)
    assert(codes(counted(unmarked.watermarkBy("id").idle("1 minute"))) ==
      Seq("WATERMARK_SETTING_ALONE", "WATERMARK_SETTING_ALONE"))
  }
}
