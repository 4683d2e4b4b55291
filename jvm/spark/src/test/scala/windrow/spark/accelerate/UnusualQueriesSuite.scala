package windrow.spark.accelerate

import windrow.spark.SparkSuite

/** Compares queries of unusual forms on Spark and on Windrow, one by one (SEMANTICS R97). */
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
    "accelerated" -> s"SELECT window, upper(k) AS k, k IS NULL AS e, sum(v) FROM (SELECT *, $window AS window FROM t0) GROUP BY ALL")

  full("unusual queries emit Spark's rows") {
    for (((code, sql), i) <- queries.zipWithIndex; mode <- Seq("append", "update")) {
      val query     = new Compared(spark, mode, "5 seconds", Seq(Compared.events(70L + i, 4, 50)), _.sql(sql))
      val (off, on) = (query.off, query.on)
      assert(on.differsFrom(off).isEmpty && off.rows > 0, s"$mode: $sql")
      assert(on.codes.forall(_ == code), s"$mode: $sql: ${on.decisions}")
    }
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
