package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Nexmark q18: the last bid of each bidder in each auction, after which the bidder does not bid there for 10 s. */
case object LastBids extends Question {
  private val row = "unix_micros(ts) AS at, auction, bidder, price"

  def tables: Seq[String] = Seq("bids")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT $row FROM windrow_dedup(
          TABLE(bids), key => array('auction', 'bidder'), time => 'ts', within => '9999999 microseconds',
          keep => 'last', $options)""")

  /** A session window of Spark ends 10 s after its last row, and a row at its end is in another one. */
  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    """SELECT unix_micros(max(ts)) AS at, auction, bidder, max_by(price, ts) AS price
       FROM bids GROUP BY auction, bidder, session_window(ts, '10 seconds')"""))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT $row FROM (
          SELECT *, lead(ts) OVER (PARTITION BY auction, bidder ORDER BY ts) AS next FROM bids)
        WHERE coalesce(unix_micros(next) - unix_micros(ts) >= 10000000, true)
          AND unix_micros(ts) + 10000000 <= ${in.until(tables)}""")
}
