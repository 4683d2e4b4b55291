package windrow.spark.sql

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, classic}
import org.scalatest.tags.Slow
import windrow.SpecError
import windrow.spark.{SparkSuite, StepByStep}

/** Tests co-groups in SQL whose watermark follows the clock (SEMANTICS R52). */
@Slow
final class CoGroupSqlSuite extends SparkSuite with StepByStep {

  /** A copy of the session, in which only rows start micro-batches. Otherwise the clock starts them without end. */
  override protected implicit lazy val session: classic.SparkSession = {
    val own = spark.asInstanceOf[classic.SparkSession].newSession()
    own.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    own
  }

  private lazy val Seq(orders, ships) = Seq("orders", "ships").map { name =>
    val rows = input()
    table(rows).createOrReplaceTempView(name)
    rows
  }: @unchecked

  private def hours(ofStreams: String, more: String = "", streams: String = "TABLE(orders), TABLE(ships)"): DataFrame =
    session.sql(s"""SELECT * FROM windrow_tumble(
      TABLE(SELECT id, count(orders.time) AS orders, count(ships.time) AS ships
        FROM windrow_cogroup($streams, key => 'id', time => 'time', $ofStreams) GROUP BY id),
      size => '1 hour', lateness => '0 seconds', output => 'all' $more)""")

  private def codes(made: => Any): Seq[String] = intercept[AnalysisException](made).getCause match {
    case wrong: SpecError => wrong.problems.map(_.code)
    case other            => fail(other)
  }

  test("SEMANTICS R52: the clock completes the hours of a co-group, of which one stream has no rows") {
    Seq(orders, ships)
    val output = hours("processing_time_watermark => '5 minutes'")
      .select(col("kind"), col("panes.id"), col("panes.orders"), col("panes.ships"), col("rejected.reason"))
    running(output) { steps =>
      steps.clock(0)
      assert(steps(orders.addData(row("a", 0))).isEmpty)
      steps.clock(64)
      assert(steps(orders.addData(row("b", 63))).isEmpty) // the watermark is 59
      steps.clock(66)
      assert(steps(orders.addData(row("b", 65))) == Seq(Row("panes", "a", 1, 0, null)))
      steps.clock(126)
      assert(steps(ships.addData(row("a", 59))).toSet == // the watermark was 61
        Set(Row("rejected", null, null, null, "TOO_LATE"), Row("panes", "b", 2, 0, null)))
      steps.clock(127)
      assert(steps(ships.addData(row("b", 125))).isEmpty)
      steps.clock(185)
      assert(steps(ships.addData(row("b", 180))) == Seq(Row("panes", "b", 0, 1, null)))
    }
  }

  test("all problems of a clock are reported together") {
    Seq(orders, ships)
    val clock = "processing_time_watermark => '5 minutes'"
    assert(codes(hours(s"$clock, watermark => '1 minute'")) == Seq("WATERMARK_TWICE", "WATERMARK_TWICE"))
    assert(codes(hours(clock, s", $clock, time => 'id'")) == Seq("STATED_TWICE", "STATED_TWICE"))
    assert(codes(hours(
      "processing_time_watermark => '-1 minute', idle => '1 hour', sice => 1",
      streams = "TABLE(orders), TABLE(orders)")).toSet ==
      Set("ARGUMENT_UNKNOWN", "WATERMARK_SETTING_ALONE", "WATERMARK_NEGATIVE", "STREAM_TWICE"))
    assert(codes(hours("watermark => 'soon'")) == Seq("DURATION_NOT_UNDERSTOOD"))
    assert(codes(hours("watermark => NULL")) == Seq("NO_WATERMARK"))
    assert(codes(session.sql(s"SELECT * FROM windrow_cogroup(TABLE(orders), TABLE(ships), $clock)")) ==
      Seq("TIME_NOT_STATED", "TIME_NOT_STATED"))
  }
}
