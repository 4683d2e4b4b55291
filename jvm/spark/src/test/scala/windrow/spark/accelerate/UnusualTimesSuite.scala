package windrow.spark.accelerate

import java.sql.Timestamp
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.spark.SparkSuite

/** Compares queries over times other than the event time, far in the future, or before 1970 (SEMANTICS R97). */
final class UnusualTimesSuite extends SparkSuite {

  /** A row at a time in UTC, for example `2020-01-01 09:00:00`, with another time in seconds after 1970. */
  private def at(time: String, key: String, v: Long = 0, other: String = "1970-01-01 00:00:00"): Event =
    Event(0, utc(time), key, v, utc(other).getTime / 1000.0, b = true)

  private def utc(time: String) = Timestamp.from(java.time.Instant.parse(time.replace(' ', 'T') + "Z"))

  /** Returns the decisions about a query that emits Spark's rows. */
  private def codes(input: Seq[Seq[Seq[Event]]], delay: String)(query: SparkSession => DataFrame): Seq[String] = {
    val both      = new Compared(spark, "append", delay, input, query)
    val (off, on) = (both.off, both.on)
    assert(on.differsFrom(off).isEmpty)
    assert(off.rows > 0, on.decisions)
    on.codes
  }

  /** The last row of the second input joins the first row by `d`, which is long before the watermark. */
  private val others = Seq(
    Seq(Seq(at("2020-01-01 09:00:00", "a")), Seq(at("2020-01-01 10:00:00", "b"))),
    Seq(Nil, Seq(at("2020-01-01 10:00:00", "b", 1)))).map(_ :+ Seq(at("2020-01-01 12:00:00", "c", 2))).zip(Seq(
    Nil,
    Seq(at("2020-01-01 10:00:05", "a", 3, "2020-01-01 09:00:10")))).map { case (batches, last) =>
    batches.patch(2, Seq(last), 0) :+ Nil
  }

  private val distinct = (rows: DataFrame) => rows.dropDuplicatesWithinWatermark("v")
  private val counted =
    (rows: DataFrame) => rows.groupBy(window(col("time"), "5 seconds").as("time"), col("k")).agg(max("d").as("d"))

  Seq("a deduplication" -> distinct, "an aggregation" -> counted).foreach { case (what, how) =>
    full(s"a join by a time without the watermark stays above $what") {
      val found = codes(others, "10 seconds")(session =>
        session.table("t0").join(
          how(session.table("t1")).selectExpr("time AS time2", "timestamp_seconds(d) AS other", "k AS k2"),
          expr("k = k2 AND other BETWEEN time AND time + INTERVAL 20 SECONDS")))
      assert(found == Seq("WATERMARK_OF_OTHER_COLUMN", "OPERATOR_ABOVE_KEPT"))
    }
  }

  private val random = Seq(8, 9).map(Compared.events(_, 6))

  Seq("start" -> "WATERMARK_OF_OTHER_COLUMN", "end" -> "JOIN_WITHOUT_TIME").foreach { case (field, code) =>
    full(s"a join by the ${field}s of windows stays") {
      val found = codes(random, "10 seconds") { session =>
        def side(table: String) = s"(SELECT k, window(time, '10 seconds') AS w FROM $table)"
        session.sql(
          s"SELECT a.k, a.w, b.w FROM ${side("t0")} a JOIN ${side("t1")} b ON a.k = b.k AND a.w.$field = b.w.$field")
      }
      assert(found == Seq(code))
    }
  }

  test("windows at the end of the year 9999 wait for their watermark") {
    val input = Seq(Seq(at("9999-12-31 00:00:00", "a")), Seq(at("9999-12-31 01:00:00", "a")))
    val found = codes(Seq(input :+ Seq(at("+10000-01-02 00:00:00", "a")) :+ Nil), "1 hour")(
      _.sql("SELECT unix_micros(window.start), count(*) FROM t0 GROUP BY window(time, '1 day')"))
    assert(found == Seq("accelerated"))
  }

  test("rows up to 1970 are late from the first micro-batch on") {
    def some(v: Long) =
      Seq(at("1970-01-01 00:00:00", "a", v), at("1969-12-31 23:00:00", "b", v), at("1970-01-01 00:00:01", "c", v))
    val rows = Seq(some(1), some(2), Seq(at("2020-12-31 23:00:00", "b", 3)), Nil)
    val found = codes(Seq(rows, rows), "10 seconds") { session =>
      Seq(
        session.table("t0").dropDuplicates("k", "time"),
        session.table("t0").dropDuplicatesWithinWatermark("k"),
        session.sql("SELECT window.start, count(*) FROM t0 GROUP BY window(time, '1 minute', '30 seconds')"),
        session.sql("SELECT k, count(*) FROM t0 GROUP BY k, session_window(time, '10 seconds')"),
        session.sql("SELECT a.v, b.v AS w FROM t0 a JOIN t1 b ON a.k = b.k AND " +
          "a.time BETWEEN b.time AND b.time + INTERVAL 2 SECONDS")).zipWithIndex.map { case (one, i) =>
        one.select(lit(i).as("i"), to_json(struct("*")).as("row"))
      }.reduce(_.union(_))
    }
    assert(found == Seq.fill(5)("accelerated"))
  }
}
