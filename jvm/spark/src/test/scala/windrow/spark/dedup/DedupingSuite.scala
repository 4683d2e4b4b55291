package windrow.spark.dedup

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, Row}
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.{DedupOutput, SparkSuite, StepByStep, Stream, Windrow}

/** Tests the Scala API of deduplication below windows (SEMANTICS R99 to R101, R108, R109). */
@Slow
final class DedupingSuite extends SparkSuite with StepByStep {

  private def stream(of: Input, lateness: TimeSpan): Stream =
    Windrow.stream(table(of), time = "time", key = Seq("id"), watermark = Some("0 seconds"), name = "once")
      .lateness(lateness)

  /** The totals of minutes of the kept rows, and the rejected rows of both operators. */
  private def totals(once: DedupOutput, lateness: TimeSpan, of: Column = col("value")) =
    Windrow.stream(once.rows, time = "time", name = "minutes").lateness(lateness).window(Tumbling("1 minute"))
      .accumulationMode(Accumulating).aggregate(sum(of).as("total")).output
      .select(
        minute("panes.window.start"),
        col("panes.total"),
        col("panes.pane.timing"),
        col("rejected.stream"),
        col("rejected.reason"))

  private def pane(minute: Int, total: Long, timing: String) = Row(minute, total, timing, null, null)
  private def rejected(stream: String, reason: String)       = Row(null, null, null, stream, reason)
  private val duplicate                                      = rejected("once", "DUPLICATE")

  test("SEMANTICS R99, R101: the first row counts at once; late rows reach their window or are rejected") {
    val rows = input()
    running(totals(stream(rows, "11 minutes").dedup("5 minutes"), "10 minutes")) { steps =>
      assert(steps(rows.addData(row("a", 0.2, 1), row("a", 0.4, 2))) == Seq(duplicate))
      assert(steps(rows.addData(row("b", 3, 4))) == Seq(pane(0, 1, "ON_TIME")))
      assert(steps(rows.addData(row("c", 0.5, 8))) == Seq(pane(0, 9, "LATE")))
      assert(steps(rows.addData(row("a", 0.6, 16))) == Seq(duplicate)) // within five minutes of 0:12
      assert(steps(rows.addData(row("d", 15, 32))) == Seq(pane(3, 4, "ON_TIME")))
      assert(steps(rows.addData(row("e", 3.5, 64))) == Seq(rejected("once", "TOO_LATE")))     // until 14:30
      assert(steps(rows.addData(row("f", 4.5, 128))) == Seq(rejected("minutes", "TOO_LATE"))) // its window until 15:00
      assert(steps(rows.addData(row("g", 5.2, 256))) == Seq(pane(5, 256, "LATE")))
    }
  }

  test("SEMANTICS R108, R109: the last row counts when none can follow it, and is not late for its window") {
    val rows = input()
    val last = stream(rows, "2 minutes").dedup("5 minutes", keep = Keep.Last)
    running(totals(last, "0 seconds")) { steps =>
      assert(steps(rows.addData(row("a", 0.2, 1), row("a", 0.7, 2))) == Seq(duplicate))
      assert(steps(rows.addData(row("b", 3, 4))).isEmpty)
      assert(steps(rows.addData(row("a", 1.5, 8))) == Seq(duplicate)) // late, and it follows 0:42
      assert(steps(rows.addData(row("c", 0.5, 16))) == Seq(rejected("once", "TOO_LATE")))
      assert(steps(rows.addData(row("d", 20, 32))).toSet == Set(pane(1, 8, "ON_TIME"), pane(3, 4, "ON_TIME")))
    }
  }

  test("SEMANTICS R109: a last row that counts at once is retracted by the row that follows it") {
    val rows = input()
    val last = stream(rows, "2 minutes")
      .dedup("5 minutes", keep = "last", accumulationMode = Some(AccumulatingAndRetracting))
    val signed = when(col("is_retraction"), -col("value")).otherwise(col("value"))
    running(totals(last, "10 minutes", signed)) { steps =>
      assert(steps(rows.addData(row("a", 0.2, 1))).isEmpty)
      assert(steps(rows.addData(row("b", 3, 4))) == Seq(pane(0, 1, "ON_TIME")))
      assert(steps(rows.addData(row("a", 1.5, 8))).toSet == Set(pane(0, 0, "LATE"), pane(1, 8, "LATE"), duplicate))
    }
  }

  test("SEMANTICS R108: the columns of orderBy decide before the time") {
    val rows   = input()
    val newest = stream(rows, "2 minutes").dedup("5 minutes", orderBy = Seq("value"), keep = "last")
    running(newest.output.select(col("rows.value"), col("rejected.message.value"))) { steps =>
      assert(steps(rows.addData(row("a", 1, 9))).isEmpty)
      assert(steps(rows.addData(row("a", 2, 3))) == Seq(Row(null, 3)))
      assert(steps(rows.addData(row("b", 20))) == Seq(Row(9, null)))
    }
  }
}
