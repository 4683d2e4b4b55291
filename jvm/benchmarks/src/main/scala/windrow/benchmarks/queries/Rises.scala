package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Runs of at least four events of a key whose values rise.
  *
  * @param readsMatch
  *   whether the condition also reads the first row of the match, which does not change the result
  */
final case class Rises(readsMatch: Boolean) extends Question {
  private val rises = "value > PREV(value)" + (if (readsMatch) " AND value > A.value" else "")

  def tables: Seq[String] = Seq("events")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT key, unix_micros(match.start) AS start, unix_micros(match.end) AS end, n, total FROM windrow_match(
          TABLE(events), key => 'key', time => 'ts', pattern => 'A UP{3,}', define => map('UP', '$rises'),
          measures => map('n', 'count(*)', 'total', 'sum(value)'), within => '600 seconds', $options)""")

  def spark(in: Feed): Option[DataFrame] = None

  /** A run is known when the event after it is before the watermark. The checked streams are shorter than `within`. */
  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT key, start, end, n, total FROM (
          SELECT *, lead(start) OVER (PARTITION BY key ORDER BY start) AS next FROM (
            SELECT key, run, unix_micros(min(ts)) AS start, unix_micros(max(ts)) AS end, count(*) AS n,
              sum(value) AS total
            FROM (
              SELECT *, sum(CASE WHEN value > before THEN 0 ELSE 1 END) OVER (PARTITION BY key ORDER BY ts) AS run
              FROM (SELECT *, lag(value) OVER (PARTITION BY key ORDER BY ts) AS before FROM events))
            GROUP BY key, run))
        WHERE n >= 4 AND next < ${in.until(tables)}""")
}
