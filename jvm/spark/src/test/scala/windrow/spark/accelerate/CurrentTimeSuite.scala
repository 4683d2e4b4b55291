package windrow.spark.accelerate

import java.sql.Timestamp
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Tests queries with functions of the current time, whose value Spark's optimizer does not know in a micro-batch
  * (SEMANTICS R97).
  */
final class CurrentTimeSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val events: Encoder[Event]     = Encoders.product[Event]

  private val now = System.currentTimeMillis

  private def at(minutes: Int, k: String, v: Long = 1L) =
    Event(0, new Timestamp(now + minutes * 60000L), k, v, 1.0, b = true)

  /** The newest row of the first micro-batch, whose `v` is 2, does not fulfill the condition `today`. */
  private val rows =
    Seq(Seq(at(-70, "a"), at(-50, "a"), at(-5, "b", 2)), Seq(at(-20, "a")), Seq(at(120, "a")), Seq(at(240, "a")))

  /** A condition on the input of an operator that Spark does not move below the watermark. */
  private def today(table: String, current: String = "current_date()") =
    s"(SELECT * FROM $table WHERE if(v = 1, $current, DATE'2000-01-01') = $current)"

  private def session(from: String, gap: Int, having: String = "") =
    s"SELECT session_window, k, count(*) FROM $from GROUP BY session_window(time, '$gap minutes'), k $having"

  private val queries = Seq[(String, SparkSession => DataFrame)](
    "a condition on merged sessions" ->
      (_.sql(session("t0", 30, "HAVING session_window.start > current_timestamp() - INTERVAL 1 HOUR"))),
    "the input of sessions"                    -> (_.sql(session(today("t0"), 1))),
    "the input of sessions, with a local time" -> (_.sql(session(today("t0", "date(localtimestamp())"), 1))),
    "rows of a join" -> (_.sql(
      "SELECT a.time, b.v FROM t0 a LEFT JOIN t1 b ON a.k = b.k AND b.time BETWEEN a.time AND " +
        "a.time + INTERVAL 5 MINUTES WHERE if(a.v = 1, unix_timestamp(), 0) = unix_timestamp()")),
    "the input of a deduplication" -> (_.sql(today("t0")).dropDuplicates("k", "time")),
    "the input of windows" -> (_.sql(s"SELECT window, count(*) FROM ${today("t0")} GROUP BY window(time, '1 minute')")))

  for (((name, query), i) <- queries.zipWithIndex) {
    def check() = {
      val one       = new Compared(spark, "append", "1 minute", Seq(rows, rows), query)
      val (off, on) = (one.off, one.on)
      assert(on.codes == Seq("accelerated"), on.decisions)
      assert(on.differsFrom(off).isEmpty && off.rows > 0)
    }
    val title = s"Spark does not move a condition on the current time: $name"
    if (i < 2) test(title)(check()) else full(title)(check())
  }

  private def codes(df: DataFrame) = Windrow.explainAcceleration(df).operators.map(_.reason.fold("accelerated")(_.code))

  test("a filter on the current time before the watermark has one answer at any time") {
    for (current <- Seq("current_timestamp()", "now()")) {
      val recent = (df: DataFrame) => df.where(s"time > $current - INTERVAL 1 HOUR")
      def counts = recent(MemoryStream[Event].toDF()).withWatermark("time", "1 minute")
        .groupBy(org.apache.spark.sql.functions.window(col("time"), "1 minute")).count()
      assert(Seq.fill(if (isFull) 100 else 5)(codes(counts)).distinct == Seq(Seq("accelerated")))
      val query = new Compared(
        spark,
        "append",
        "1 minute",
        Seq(rows),
        _.sql("SELECT window, count(*), current_date() FROM t0 GROUP BY window(time, '1 minute')"),
        recent)
      val windrow = query.run(Seq(0 -> true, 2 -> true))
      assert(windrow.codes == Seq("accelerated"))
      assert(windrow.rows == 3 && windrow.differsFrom(query.run(Seq(0 -> false, 2 -> false))).isEmpty)
    }
  }

  test("operators with state that read the current time stay with Spark") {
    Seq("a", "b").foreach(MemoryStream[Event].toDF().withWatermark("time", "1 minute").createOrReplaceTempView)
    def code(sql: String) = codes(session.sql(sql))
    val kept              = Seq("OPERATOR_NOT_ACCELERATED")
    val window            = "window(time, '1 minute')"
    for (current <- Seq("current_timestamp()", "now()")) {
      assert(code(s"SELECT window, $current AS at, count(*) FROM a GROUP BY $window, $current") == kept)
      assert(code(s"SELECT window, max($current - time) FROM a GROUP BY $window") == kept)
      assert(code(s"SELECT window, $current, count(*) FROM a GROUP BY $window") == Seq("accelerated"))
      assert(code(s"SELECT a.v FROM a JOIN b ON a.k = b.k AND b.time BETWEEN a.time AND a.time + INTERVAL 1 MINUTE " +
        s"AND (a.v > b.v OR a.time > $current)") == kept)
    }
    // Spark does not group by a column that is a constant for its optimizer.
    val column = s"SELECT window, at, count(*) FROM (SELECT *, CURRENT AS at FROM a) GROUP BY $window, at"
    assert(code(column.replace("CURRENT", "now()")) == kept)
    assert(code(column.replace("CURRENT", "current_date()")) == Seq("accelerated"))
    assert(code("SELECT session_window, k, count(*) FROM a " +
      "GROUP BY session_window(time, if(time < current_date(), '5 seconds', '9 seconds')), k") == kept)
  }
}
