package windrow.spark.accelerate

import java.sql.Timestamp
import org.scalatest.tags.Slow
import windrow.spark.SparkSuite

/** Compares queries of unusual forms on Spark and on Windrow, one by one (SEMANTICS R97). */
@Slow
final class UnusualQueriesSuite extends SparkSuite {

  private val window = "window(time, '20 seconds')"

  /** Columns of the input by the names of others, keys that group in several ways or are structs, decimals that overflow,
    * intervals, and results that are used twice.
    */
  private val queries = Seq(
    "accelerated" -> s"SELECT CASE WHEN window.start > TIMESTAMP'2020-09-13 12:27:00' THEN 'x' END AS c, count(*) AS n, count(*), sum(v) + sum(v) FROM t0 GROUP BY $window",
    "WINDOW_NOT_RECOGNIZED" -> s"SELECT window, k, count(*) FROM t0 GROUP BY GROUPING SETS (($window, k), ($window))",
    "WINDOW_NOT_RECOGNIZED" -> s"SELECT window, k, b, grouping_id(), sum(v) FROM t0 GROUP BY $window, CUBE(k, b)",
    "accelerated"           -> s"SELECT k AS v, sum(v) AS k, window AS time FROM t0 GROUP BY $window, k",
    "accelerated" -> s"SELECT window, x, max(y) FROM (SELECT time, k AS x, v AS y FROM t0 LATERAL VIEW explode(array(1, 2)) e AS z WHERE z = 1 OR b) GROUP BY $window, x",
    "accelerated" -> s"SELECT window, named_struct('a', d, 'b', array(k)) AS s, count(*) FROM t0 GROUP BY $window, named_struct('a', d, 'b', array(k))",
    "AGGREGATE_ORDER" -> s"SELECT window, regr_slope(v, v + 1) FROM t0 GROUP BY $window",
    "accelerated" -> s"SELECT window, min(struct(v, k)), max(array(v)), min(struct(d, v)), sum(nullif(v, 0)) FROM t0 GROUP BY $window",
    "accelerated" -> s"SELECT window, sum(CAST(v AS decimal(38, 0)) * 4000000000000000000000000000000000), try_sum(v), try_avg(v) FROM t0 GROUP BY $window",
    "accelerated" -> s"SELECT window, sum(make_dt_interval(0, 0, 0, v)), avg(make_dt_interval(0, 0, 0, v)) FROM t0 GROUP BY $window",
    "accelerated" -> s"SELECT window, n, m FROM (SELECT $window AS window, count(*) AS n, count(k) AS m FROM t0 GROUP BY 1) WHERE n > 2 AND m < 40",
    "accelerated" -> s"WITH c AS (SELECT window, count(*) AS n FROM t0 GROUP BY $window) SELECT * FROM c UNION ALL SELECT window, -n FROM c",
    "accelerated" -> s"SELECT window.end, stddev_pop(d), var_samp(v), count(v, k), kurtosis(v), count_if(v > 3) FROM t0 GROUP BY $window",
    "accelerated" -> s"SELECT window, k, count(*) FROM t0 GROUP BY $window, k HAVING k = 'k1' UNION ALL SELECT window, k, count(*) FROM t0 WHERE k = 'k1' GROUP BY window(time, '1 minute'), k",
    "AVERAGE_OF_DECIMALS" -> s"SELECT window, regr_avgx(d, d) FROM (SELECT time, CAST(v AS decimal(11, 2)) AS d FROM t0) GROUP BY $window",
    "WINDOW_NOT_RECOGNIZED" -> "SELECT w, k, sum(r) > 0 FROM (SELECT w, k, rand(7) AS r FROM (SELECT *, window(time, '20 seconds', '10 seconds') AS w FROM t0)) GROUP BY w, k",
    "accelerated" -> s"SELECT window, upper(k) AS k, k IS NULL AS e, sum(v) FROM (SELECT *, $window AS window FROM t0) GROUP BY ALL")

  full("unusual queries emit Spark's rows") {
    for (((code, sql), i) <- queries.zipWithIndex; mode <- Seq("append", "update")) {
      val query     = new Compared(spark, mode, "5 seconds", Seq(Compared.events(70L + i, 4, 50)), _.sql(sql))
      val (off, on) = (query.off, query.on)
      assert(on.differsFrom(off).isEmpty && off.rows > 0, s"$mode: $sql")
      assert(on.codes.forall(_ == code), s"$mode: $sql: ${on.decisions}")
    }
  }

  private val others = Seq(
    Seq("accelerated") -> s"SELECT window, k, count(*) FROM t0 GROUP BY $window, k HAVING k IN (SELECT concat('k', id) FROM range(2))",
    Seq("accelerated") -> "SELECT session_window, k, count(*) FROM t0 GROUP BY session_window(time, CASE WHEN time >= '2020-09-13 12:26:50' AND time < '2020-09-13 12:27:05' THEN '50 seconds' ELSE '5 seconds' END), k",
    Seq("accelerated") -> s"WITH good AS (SELECT 'k1' AS k) SELECT window, count(*) FROM t0 WHERE k IN (SELECT k FROM good) GROUP BY $window",
    Seq("OPERATOR_NOT_ACCELERATED") -> "SELECT * FROM (SELECT time AS a, k AS ka, v AS va FROM t0) FULL JOIN (SELECT time AS b, k AS kb, v AS vb FROM t1) ON ka = kb AND a = b",
    Seq(
      "JOIN_REPLACED",
      "JOIN_REPLACED") -> "SELECT u.id, c.time, i.v FROM range(4) u, t0 i, t1 c WHERE concat('k', u.id) = c.k AND i.v = c.v AND c.time BETWEEN i.time AND i.time + INTERVAL 10 SECONDS")

  /** Returns rows of which one key is ten minutes ahead, so that the watermark depends on the conditions below it. */
  private def ahead(batches: Seq[Seq[Event]]): Seq[Seq[Event]] = batches.map(_.map {
    case row if row.k == "k3" && row.time != null => row.copy(time = new Timestamp(row.time.getTime + 600000))
    case row                                      => row
  })

  test("unusual conditions, sessions, and joins emit Spark's rows") {
    for (((codes, sql), i) <- others.zipWithIndex) {
      val input = (0L to 1L).map(one => Compared.events(90L + i * 2 + one, 4, 50)).map(if (i == 0) ahead else identity)
      val query = new Compared(spark, "append", "5 seconds", input, _.sql(sql))
      val (off, on) = (query.off, query.on)
      assert(on.differsFrom(off).isEmpty && off.rows > 0, s"$sql: ${on.differsFrom(off)}, ${off.rows}")
      assert(on.codes.distinct == codes.distinct, s"$sql: ${on.decisions}")
    }
  }

  test("SEMANTICS R97: a left semi join holds back later windows as far as in the version of Spark") {
    val sql = "SELECT window, count(*) FROM t0 a LEFT SEMI JOIN t1 b ON a.k = b.k AND b.time >= a.time - INTERVAL " +
      "26 SECONDS AND b.time < a.time + INTERVAL 16 SECONDS GROUP BY window(a.time, '5 seconds')"
    val input     = (0L to 1L).map(i => Compared.events(5351615191360L + i, 4, 80))
    val query     = new Compared(spark, "append", "0 seconds", input, _.sql(sql))
    val (off, on) = (query.off, query.on)
    assert(on.differsFrom(off).isEmpty && off.rows > 5 && on.codes == Seq("accelerated", "accelerated"))
  }

  test("SEMANTICS R97: rules that the session excludes from the optimizer do not move conditions") {
    val excluded = "spark.sql.optimizer.excludedRules"
    spark.conf.set(excluded, "org.apache.spark.sql.catalyst.optimizer.PushDownPredicates")
    try {
      val sql = "SELECT session_window, k, count(*) FROM t0 GROUP BY session_window(time, '5 seconds'), k " +
        "HAVING session_window.start > TIMESTAMP'2020-09-13 12:27:00'"
      val query     = new Compared(spark, "append", "5 seconds", Seq(Compared.events(7, 4, 50)), _.sql(sql))
      val (off, on) = (query.off, query.on)
      assert(on.differsFrom(off).isEmpty && off.rows > 5)
      assert(on.codes == Seq("accelerated"), on.decisions)
    } finally spark.conf.unset(excluded)
  }

  test("with the watermark policy max, a query with several watermarks stays with Spark and starts again") {
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    try {
      val sql   = Seq(0, 1).map(i => s"SELECT window, count(*) FROM t$i GROUP BY $window").mkString(" UNION ALL ")
      val input = Seq(Compared.events(7, 3), Compared.events(8, 3))
      val ran   = new Compared(spark, "append", "5 seconds", input, _.sql(sql)).run(Seq(0 -> true, 2 -> true))
      assert(ran.starts.head.operators.flatMap(_.reason).map(_.code).distinct == Seq("WATERMARK_POLICY"))
    } finally spark.conf.unset("spark.sql.streaming.multipleWatermarkPolicy")
  }

  full("a map with nulls as a key groups as its values do, which Spark's generated code replaces by each other") {
    val (a, b) = ("v % 2", "nullif(v % 3, 0)")
    def compared(keys: String, results: String) = new Compared(
      spark,
      "append",
      "5 seconds",
      Seq(Compared.events(7, 3, 50)),
      _.sql(s"SELECT window, $results, count(*) FROM t0 GROUP BY $window, $keys"))
    val values = compared(s"$a, $b", s"$a AS a, $b AS b").off
    val windrow =
      compared(s"map('b', $b, 'a', $a)", s"map('b', $b, 'a', $a)['a'] AS a, map('b', $b, 'a', $a)['b'] AS b").on
    assert(windrow.codes == Seq("accelerated") && values.rows > 5)
    assert(windrow.differsFrom(values).isEmpty)
  }
}
