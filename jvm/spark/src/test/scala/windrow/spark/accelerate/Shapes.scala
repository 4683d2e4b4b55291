package windrow.spark.accelerate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}

/** A query over the inputs `t0` and `t1`, of a shape that a suite of Spark's tests.
  *
  * @param query
  *   creates it over views of the inputs, which have a watermark
  */
final case class Shape(suite: String, text: String, mode: String, query: SparkSession => DataFrame) {
  override def toString: String = s"$suite, $mode: $text"
}

/** The shapes of Spark's suites, each with all variations of its parts. */
object Shapes {

  private def sql(suite: String, mode: String, text: String): Shape = Shape(suite, text, mode, _.sql(text))

  private def plain(suite: String, mode: String, text: String)(query: SparkSession => DataFrame): Shape =
    Shape(suite, text, mode, query)

  private val modes = Seq("append", "update")
  private val windows = Seq(
    "'10 seconds'",
    "'1 minute'",
    "'10 seconds', '5 seconds'",
    "'30 seconds', '10 seconds'",
    "'7 seconds', '3 seconds', '1 second'")
  private val keys = Seq("", ", k", ", k, b", ", v % 5", ", upper(k), d")

  private val results = Seq(
    "count(*)",
    "sum(v), avg(v)",
    "min(v), max(d), count(v)",
    "stddev(v), covar_samp(v, v)",
    "sum(v) FILTER (WHERE b), count_if(b)",
    "approx_count_distinct(k), bit_or(v)")

  /** Returns the next of the results, so that all occur with different windows and keys. */
  private def result(number: Int): String = results(number % results.size)

  private def counts(window: String, keys: String, results: String, from: String = "t0", more: String = ""): String =
    s"SELECT window$keys, $results FROM $from GROUP BY window(time, $window)$keys $more"

  private val aggregations = for {
    (window, i) <- windows.zipWithIndex
    (key, j)    <- keys.zipWithIndex
    mode        <- modes
  } yield sql("StreamingAggregationSuite", mode, counts(window, key, result(i + j)))

  private val filters = Seq(
    "HAVING count(*) > 1",
    "HAVING k = 'k1'",
    "HAVING max(v) > 40 AND k <> 'k2'",
    "HAVING window.start > TIMESTAMP'2020-09-13 12:27:00'",
    "HAVING k = 'k1' AND window.end > TIMESTAMP'2020-09-13 12:27:00'")

  private val inputs = Seq(
    "(SELECT * FROM t0 WHERE v > 20 AND b)",
    "(SELECT time, upper(k) AS k, v * 2 AS v, d, NOT b AS b FROM t0)",
    "(SELECT * FROM t0 UNION ALL SELECT * FROM t1)",
    "(SELECT * FROM t0 UNION ALL SELECT * FROM t0 WHERE b)")

  private val watermarks =
    (for {
      (window, i) <- windows.zipWithIndex
      filter      <- filters
    } yield sql("EventTimeWatermarkSuite", modes(i % 2), counts(window, ", k", result(i), more = filter))) ++ (for {
      (window, i) <- windows.zipWithIndex
      (input, j)  <- inputs.zipWithIndex
    } yield sql("EventTimeWatermarkSuite", modes(j % 2), counts(window, ", k", result(i + j), from = input)))

  private val gaps = Seq("'5 seconds'", "'30 seconds'", "CASE WHEN k = 'k1' THEN '5 seconds' ELSE '12 seconds' END")

  private val sessions = for {
    gap      <- gaps
    (key, j) <- Seq("k", "k, b", "v % 3", "d").zipWithIndex
    filter   <- Seq("", "HAVING count(*) > 1", "HAVING session_window.start > TIMESTAMP'2020-09-13 12:27:00'")
  } yield sql(
    "StreamingSessionWindowSuite",
    "append",
    s"SELECT session_window, $key, ${result(j)} FROM t0 GROUP BY session_window(time, $gap), $key $filter")

  private val narrowed = Seq[(String, DataFrame => DataFrame)](
    "t0"       -> identity,
    "filtered" -> (_.where("v > 20")),
    "computed" -> (_.withColumn("n", struct(col("k"), col("v") % 3))))

  private def once(suite: String, mode: String, text: String)(how: DataFrame => DataFrame) = narrowed.map {
    case (name, input) => plain(suite, mode, s"$name.$text")(session => how(input(session.table("t0"))))
  }

  private val within = for {
    by   <- Seq(Seq("k"), Seq("k", "v"), Seq("d"), Seq("time"), Seq("b", "v", "d"))
    mode <- modes
    query <- once("StreamingDeduplicationWithinWatermarkSuite", mode, s"dropDuplicatesWithinWatermark($by)")(
      _.dropDuplicatesWithinWatermark(by))
  } yield query

  private val timed = Seq(Seq("k", "time"), Seq("time"), Seq("v", "d", "time"), Seq("time", "k", "v", "d", "b"))
    .flatMap(by => once("StreamingDeduplicationSuite", "append", s"dropDuplicates($by)")(_.dropDuplicates(by)))

  private val ranges = Seq(
    "b.time BETWEEN a.time AND a.time + INTERVAL 20 SECONDS",
    "b.time > a.time - INTERVAL 5 SECONDS AND b.time < a.time + INTERVAL 15 SECONDS",
    "a.time >= b.time - INTERVAL 1 SECOND AND a.time <= b.time + INTERVAL 1 MINUTE",
    "b.time BETWEEN a.time + INTERVAL 10 SECONDS AND a.time + INTERVAL 30 SECONDS",
    "a.time = b.time")

  private val conditions = Seq("", " AND a.v < b.v", " AND coalesce(a.v, 0) + b.v > 30", " AND b.v > 30")

  private def joined(kind: String, on: String, from: String = "t0", to: String = "t1"): String =
    s"SELECT a.time, a.k, a.v${if (kind == "LEFT SEMI") "" else ", b.time AS other, b.k AS k2, b.v AS v2"} " +
      s"FROM $from a $kind JOIN $to b ON $on"

  private def suiteOf(kind: String) = if (kind == "INNER") "StreamingInnerJoinSuite" else "StreamingOuterJoinSuite"

  private val joins = for {
    kind      <- Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI")
    (on, i)   <- ranges.zipWithIndex
    condition <- conditions.filter(one => kind == "INNER" || one != " AND b.v > 30" || i == 0)
  } yield sql(suiteOf(kind), "append", joined(kind, s"a.k = b.k AND $on$condition"))

  private val updates = Seq("INNER", "LEFT SEMI").flatMap(kind =>
    Seq(joined(kind, s"a.k = b.k AND ${ranges.head}"), joined(kind, "a.k = b.k AND a.time = b.time"))
      .map(sql(suiteOf(kind), "update", _)))

  private def windowed(table: String) = s"(SELECT window(time, '20 seconds') AS time, k, v FROM $table)"

  private val windowJoins = for {
    kind <- Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI")
    more <- Seq("", " AND a.k = b.k")
  } yield sql(suiteOf(kind), "append", joined(kind, s"a.time = b.time$more", windowed("t0"), windowed("t1")))

  private val chains = {
    val suite  = "MultiStatefulOperatorsSuite"
    val tens   = "SELECT window AS w, k, count(*) AS n FROM t0 GROUP BY window(time, '10 seconds'), k"
    val near   = s"a.k = b.k AND ${ranges.head}"
    val twenty = window(col("time"), "20 seconds")
    val twice =
      for (outer <- Seq("'30 seconds'", "'1 minute'", "'20 seconds', '10 seconds'"); key <- Seq("", ", k"))
        yield sql(suite, "append", s"SELECT window$key, sum(n), max(n) FROM ($tens) GROUP BY window(w, $outer)$key")
    val above = for (kind <- Seq("INNER", "LEFT", "FULL", "LEFT SEMI"); key <- Seq("a.k", "a.k, a.v % 2"))
      yield sql(
        suite,
        "append",
        s"SELECT window, $key, count(*), sum(a.v) FROM t0 a $kind JOIN t1 b ON $near GROUP BY window(a.time, '20 seconds'), $key")
    val gap = s"session_window(time, '5 seconds')"
    val ofSessions = Seq("", ", k").map(key =>
      sql(
        suite,
        "append",
        s"SELECT window$key, count(*) FROM (SELECT session_window AS w, k FROM t0 GROUP BY $gap, k) " +
          s"GROUP BY window(w, '1 minute')$key"))
    val both = Seq("INNER", "LEFT").map(kind =>
      sql(suite, "append", joined(kind, "a.time = b.time AND a.k = b.k", grouped("t0"), grouped("t1"))))
    val onces = Seq(Seq("k"), Seq("k", "v")).flatMap(by =>
      Seq[(String, DataFrame => DataFrame)](
        "counted" -> (_.dropDuplicatesWithinWatermark(by).groupBy(twenty, col("k")).count()),
        "exactly" -> (_.dropDuplicates(by :+ "time").groupBy(twenty).agg(sum("v"))),
        "sessions" -> (_.dropDuplicatesWithinWatermark(by).groupBy(
          session_window(col("time"), "5 seconds"),
          col("k")).count()),
        "windows" -> (_.groupBy(twenty, col("k")).count().dropDuplicates("window").select("window")),
        "twice"   -> (_.dropDuplicatesWithinWatermark(by).dropDuplicates("v", "time"))).map { case (name, how) =>
        plain(suite, "append", s"deduplicated by $by: $name")(session => how(session.table("t0")))
      })
    twice ++ above ++ ofSessions ++ both ++ onces
  }

  private def grouped(table: String) =
    s"(SELECT window AS time, k, max(v) AS v FROM $table GROUP BY window(time, '20 seconds'), k)"

  private val kept = {
    val complete = for ((window, i) <- windows.zipWithIndex; key <- Seq("", ", k"))
      yield sql("StreamingAggregationSuite", "complete", counts(window, key, result(i)))
    val ordered = Seq("first(v)", "collect_list(v)", "max_by(v, d)", "mode(v)").map(call =>
      sql("StreamingAggregationSuite", "append", counts("'10 seconds'", ", k", call)))
    val keyed = Seq("k", "v % 3", "k, b").map(key =>
      sql("StreamingAggregationSuite", "update", s"SELECT $key, count(*), sum(v) FROM t0 GROUP BY $key"))
    val sessions = Seq("k", "b").map(key =>
      sql(
        "StreamingSessionWindowSuite",
        "complete",
        s"SELECT session_window, $key, count(*) FROM t0 GROUP BY session_window(time, '5 seconds'), $key"))
    val forever = Seq(Seq("k"), Seq("k", "v"), Seq("d")).flatMap(by =>
      once("StreamingDeduplicationSuite", "append", s"dropDuplicates($by)")(_.dropDuplicates(by)))
    val unbounded = Seq("INNER").flatMap(kind =>
      Seq("a.k = b.k", "a.k = b.k AND b.time > a.time").map(on =>
        sql(suiteOf(kind), "append", joined(kind, on)))) ++ Seq("LEFT" -> "a", "RIGHT" -> "b").map {
      case (kind, side) =>
        sql(suiteOf(kind), "append", joined(kind, s"a.k = b.k AND ${ranges.head} AND $side.v > 30"))
    }
    val shifted = Seq("INNER", "LEFT", "FULL").map(kind =>
      sql(suiteOf(kind), "append", joined(kind, "a.k = b.k AND b.time = a.time + INTERVAL 10 SECONDS")))
    val limited = Seq(1, 10).map(n => sql("StreamSuite", "append", s"SELECT * FROM t0 LIMIT $n"))
    val above = sql(
      "MultiStatefulOperatorsSuite",
      "append",
      "SELECT window, collect_list(n) FROM (SELECT window AS w, count(*) AS n FROM t0 GROUP BY window(time, '10 seconds')) " +
        "GROUP BY window(w, '1 minute')")
    val below = Seq("'10 seconds'", "'1 minute', '20 seconds'").map(text =>
      plain("MultiStatefulOperatorsSuite", "append", s"dropDuplicates(k, v), then a window of $text")(session =>
        session.table("t0").dropDuplicates("k", "v").groupBy(expr(s"window(time, $text)")).count()))
    below ++ complete ++ ordered ++ keyed ++ sessions ++ forever ++ unbounded ++ shifted ++ limited :+ above
  }

  val all: Seq[Shape] =
    aggregations ++ watermarks ++ sessions ++ within ++ timed ++ joins ++ updates ++ windowJoins ++ chains ++ kept
}
