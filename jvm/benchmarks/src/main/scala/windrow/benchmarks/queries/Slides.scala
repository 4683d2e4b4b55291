package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Windows of `size` seconds that end, or start, at each message: one for each set of messages. Spark does not
  * support such windows.
  */
final case class Slides(size: Int) extends Question {
  private val millis = size * 1000L

  def tables: Seq[String]                = Seq("events")
  def spark(in: Feed): Option[DataFrame] = None

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT key, unix_millis(window.start) AS start, unix_millis(window.last) AS end, n, total, top FROM windrow_slide(
          TABLE(SELECT key, ${Values.Sums.aggregates} FROM events GROUP BY key),
          time => 'ts', size => '$size seconds', $options)""")

  /** Combines messages of the same time. A window starts after a message only if the next message is in it. */
  def plain(in: Feed): DataFrame = {
    val times =
      "SELECT key, unix_millis(ts) AS at, count(*) AS n, sum(value) AS total, max(value) AS top FROM events GROUP BY 1, 2"
    def windows(start: String, frame: String) = {
      val range = s"OVER (PARTITION BY key ORDER BY at RANGE BETWEEN $frame)"
      s"""SELECT key, $start AS start, $start + $millis AS end, sum(n) $range AS n, sum(total) $range AS total,
            max(top) $range AS top FROM ($times)"""
    }
    in.plain(
      s"""SELECT DISTINCT * FROM (${windows(s"at - $millis", s"$millis PRECEDING AND CURRENT ROW")}
          UNION ALL ${windows("at + 1", s"1 FOLLOWING AND ${millis + 1} FOLLOWING")})
          WHERE n > 0 AND end * 1000 < ${in.until(tables)}""")
  }
}
