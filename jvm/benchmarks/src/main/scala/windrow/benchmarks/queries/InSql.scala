package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col

/** A question that only Windrow answers, as SQL, with the definition of its rows as SQL without windowing operators.
  *
  * @param asked
  *   the query, from the arguments of Windrow's functions
  * @param defined
  *   the definition, from the watermark after all events in microseconds
  * @param settles
  *   the seconds after which a row of the time in column `start` is final, if rows can be emitted before the watermark
  *   has passed all rows that decide them
  * @param watermarks
  *   whether the query sets its own watermarks
  */
final case class InSql(
    tables: Seq[String],
    asked: String => String,
    defined: Long => String,
    settles: Option[Int] = None,
    watermarks: Boolean = false)
    extends Question {
  override def corrects: Boolean = settles.isDefined

  def windrow(in: Feed, options: String): DataFrame =
    if (watermarks) in.plain(asked(options)) else in.marked(asked(options))

  def spark(in: Feed): Option[DataFrame] = None

  def plain(in: Feed): DataFrame = {
    val until = in.until(tables)
    val rows  = in.plain(defined(until))
    if (corrects) settled(rows, until) else rows
  }

  override def settled(rows: DataFrame, until: Long): DataFrame =
    rows.where(col("start") <= until - settles.fold(0L)(_ * InSql.Second))
}

/** Questions about time series, calendars, and outer joins. Times in their rows are microseconds. */
object InSql {
  private val Second = 1000000L
  private val Minute = 60 * Second
  private val Hour   = 60 * Minute
  private val Day    = 24 * Hour

  private val bounds = "unix_micros(window.start) AS start, unix_micros(window.end) AS end"

  /** A left join of three streams. Each row of the second and third one is up to 5 s after that of the first. */
  val outerChain: InSql = {
    def on(right: String) =
      s"LEFT JOIN $right ON a.key = $right.key AND $right.ts BETWEEN a.ts AND a.ts + INTERVAL 5 SECONDS"
    val joined = s"a ${on("b")} ${on("c")}"
    val row =
      "unix_micros(a.ts) AS start, coalesce(unix_micros(b.ts), -1) AS second, coalesce(unix_micros(c.ts), -1) AS third"
    InSql(
      Seq("a", "b", "c"),
      options => s"SELECT key, $row FROM windrow_join(TABLE(SELECT * FROM $joined), $options)",
      _ => s"SELECT a.key AS key, $row FROM $joined",
      settles = Some(30))
  }

  /** Windows of 5 s. Those without rows have the values of the window before them. */
  val filledGaps: InSql = {
    val size = 5 * Second
    InSql(
      Seq("events"),
      options =>
        s"""SELECT key, $bounds, n, total FROM windrow_tumble(
              TABLE(SELECT key, count(*) AS n, sum(value) AS total FROM events GROUP BY key), time => 'ts',
              size => '5 seconds', gap_values => 'previous', gap_at_most => '60 seconds', $options)""",
      until =>
        s"""SELECT key, start, start + $size AS end, n, total FROM (
              SELECT key, n, total, explode(sequence(first, coalesce(next, $until DIV $size * $size) - $size, $size)) AS start
              FROM (
                SELECT *, lead(first) OVER (PARTITION BY key ORDER BY first) AS next FROM (
                  SELECT key, unix_micros(ts) DIV $size * $size AS first, count(*) AS n, sum(value) AS total
                  FROM events GROUP BY ALL))
              WHERE first + $size <= $until)
            WHERE start + $size <= $until""")
  }

  /** The same windows. Those without rows have a sum between those of the windows around them. */
  val linearGaps: InSql = {
    val size = 5 * Second
    InSql(
      Seq("events"),
      options =>
        s"""SELECT key, $bounds, n, total FROM windrow_tumble(
              TABLE(SELECT key, count(*) AS n, sum(value) AS total FROM events GROUP BY key), time => 'ts',
              size => '5 seconds', gap_values => map('total', 'linear', 'n', '0'), gap_at_most => '60 seconds', $options)""",
      until =>
        s"""SELECT key, start, start + $size AS end, if(start = first, n, 0) AS n,
              CAST(round(total + (after - total) * ((start - first) / (next - first))) AS BIGINT) AS total
            FROM (
              SELECT key, first, n, total, coalesce(next, first + $size) AS next, coalesce(after, total) AS after,
                explode(sequence(first, coalesce(next - $size, first), $size)) AS start
              FROM (
                SELECT *, lead(first) OVER k AS next, lead(total) OVER k AS after FROM (
                  SELECT key, unix_micros(ts) DIV $size * $size AS first, count(*) AS n, sum(value) AS total
                  FROM events GROUP BY ALL)
                WHERE first + $size <= $until WINDOW k AS (PARTITION BY key ORDER BY first)))""")
  }

  /** Averages over a minute are often halfway between two thousandths, so the last digits of a double would decide. */
  private def thousandths(value: String) = s"CAST(floor($value * 1000 + 0.5012) AS BIGINT)"

  /** The average of a minute, weighted by time, beginning with the last value before it, in thousandths. */
  val carriedAverage: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, $bounds, ${thousandths("mean")} AS mean FROM windrow_tumble(
            TABLE(SELECT key, windrow_time_weighted_average(value, true) AS mean FROM events GROUP BY key),
            time => 'ts', size => '60 seconds', $options)""",
    until =>
      s"""SELECT key, start, start + $Minute AS end,
            ${thousandths("sum(value * held) / sum(held)")} AS mean
          FROM (
            SELECT *, least(next, start + $Minute) - greatest(at, start) AS held FROM (
              SELECT *, explode(sequence(at DIV $Minute * $Minute, (next - 1) DIV $Minute * $Minute, $Minute)) AS start
              FROM (
                SELECT key, value, at, coalesce(lead(at) OVER (PARTITION BY key ORDER BY at),
                  (at DIV $Minute + 1) * $Minute) AS next
                FROM (SELECT key, value, unix_micros(ts) AS at FROM events))))
          WHERE start + $Minute <= $until GROUP BY key, start HAVING bool_or(at >= start)""")

  /** The value of the previous row, and the sum of both, for each row. */
  val previousRow: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, unix_micros(time) AS start, coalesce(before, -1) AS before, total FROM windrow_over(
            TABLE(SELECT key, max(ts) AS time, windrow_lag(value) AS before, sum(value) AS total FROM events GROUP BY key),
            time => 'ts', rows => 2, $options)""",
    _ =>
      s"""SELECT key, start, coalesce(before, -1) AS before, value + coalesce(before, 0) AS total FROM (
            SELECT key, value, unix_micros(ts) AS start, lag(value) OVER (PARTITION BY key ORDER BY ts) AS before
            FROM events)""",
    settles = Some(1))

  /** Count, sum and maximum of all rows of a key up to each row. */
  val running: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, unix_micros(time) AS start, ${Values.Sums.columns.mkString(", ")} FROM windrow_over(
            TABLE(SELECT key, max(ts) AS time, ${Values.Sums.aggregates} FROM events GROUP BY key), time => 'ts', $options)""",
    _ =>
      """SELECT key, unix_micros(ts) AS start, count(*) OVER k AS n, sum(value) OVER k AS total, max(value) OVER k AS top
         FROM events WINDOW k AS (PARTITION BY key ORDER BY ts)""",
    settles = Some(1))

  /** The time of a minute with a value below 50, in thousandths of a second, and the increase of a counter. */
  val statesAndCounters: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, $bounds, ${thousandths("coalesce(states[true], 0)")} AS low, more FROM windrow_tumble(
            TABLE(SELECT key, windrow_time_in_state(value < 50) AS states, windrow_increase(value) AS more
              FROM events GROUP BY key),
            time => 'ts', size => '60 seconds', $options)""",
    until =>
      s"""SELECT key, start, start + $Minute AS end,
            ${thousandths(s"sum(if(value < 50, least(next, start + $Minute) - at, 0)) / $Second")} AS low,
            sum(CASE WHEN before IS NULL THEN 0 WHEN value < before THEN value ELSE value - before END) AS more
          FROM (
            SELECT *, coalesce(lead(at) OVER (PARTITION BY key, start ORDER BY at), start + $Minute) AS next,
              lag(value) OVER (PARTITION BY key, start ORDER BY at) AS before
            FROM (SELECT key, value, unix_micros(ts) AS at, unix_micros(ts) DIV $Minute * $Minute AS start FROM events))
          WHERE start + $Minute <= $until GROUP BY key, start""")

  /** Sessions that a value below 50 ends, or 5 s without rows. */
  val endingSessions: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, unix_micros(window.start) AS start, ${Values.Sums.columns.mkString(", ")} FROM windrow_session(
            TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key), time => 'ts', gap => '5 seconds',
            ends_with => 'value < 50', $options)""",
    _ =>
      s"""SELECT key, min(at) AS start, ${Values.Sums.aggregates} FROM (
            SELECT *, sum(if(before IS NULL OR at - before > ${5 * Second} OR ended, 1, 0))
              OVER (PARTITION BY key ORDER BY at) AS nth
            FROM (
              SELECT key, value, unix_micros(ts) AS at,
                lag(unix_micros(ts)) OVER (PARTITION BY key ORDER BY ts) AS before,
                lag(value < 50) OVER (PARTITION BY key ORDER BY ts) AS ended
              FROM events))
          GROUP BY key, nth""",
    settles = Some(50))

  /** Days of Berlin, which is an hour ahead of UTC at the time of the events. */
  val days: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, $bounds, ${Values.Sums.columns.mkString(", ")} FROM windrow_tumble(
            TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key), time => 'ts',
            size => '1 day', zone => 'Europe/Berlin', $options)""",
    until =>
      s"""SELECT key, start, start + $Day AS end, ${Values.Sums.aggregates} FROM (
            SELECT *, (unix_micros(ts) + $Hour) DIV $Day * $Day - $Hour AS start FROM events)
          WHERE start + $Day <= $until GROUP BY key, start""")

  /** Seven days of Berlin, one of them starting each day. */
  val hoppingDays: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, $bounds, ${Values.Sums.columns.mkString(", ")} FROM windrow_hop(
            TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key), time => 'ts',
            size => '7 days', step => '1 day', zone => 'Europe/Berlin', $options)""",
    until =>
      s"""SELECT key, start, start + ${7 * Day} AS end, ${Values.Sums.aggregates} FROM (
            SELECT *, explode(sequence(day - ${6 * Day}, day, $Day)) AS start FROM (
              SELECT *, (unix_micros(ts) + $Hour) DIV $Day * $Day - $Hour AS day FROM events))
          WHERE start + ${7 * Day} <= $until GROUP BY key, start""")

  /** Sums by minute, with a watermark for each of 16 partitions. */
  val byPartition: InSql = InSql(
    Seq("events"),
    options =>
      s"""SELECT key, $bounds, ${Values.Sums.columns.mkString(", ")} FROM windrow_tumble(
            TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key), time => 'ts',
            size => '60 seconds', watermark => '0 seconds', watermark_by => 'partition', watermark_partitions => 16,
            $options)""",
    until =>
      s"""SELECT key, start, start + $Minute AS end, ${Values.Sums.aggregates} FROM (
            SELECT *, unix_micros(ts) DIV $Minute * $Minute AS start FROM events)
          WHERE start + $Minute <= $until GROUP BY key, start""",
    watermarks = true)
}
