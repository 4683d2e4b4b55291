package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Nexmark q16: for each channel and each 10 s, the number of bids in three ranges of prices, of bidders, and of auctions.
  */
case object Channels extends Question {
  private val windows = Hops(10, 10)
  private val row     = "channel, unix_micros(window.start) AS start, bids, low, middle, high, bidders, auctions"

  private val counts = "count(*) AS bids, count_if(price < 10000) AS low, " +
    "count_if(price BETWEEN 10000 AND 999999) AS middle, count_if(price >= 1000000) AS high"

  private val distinct = "count(DISTINCT bidder) AS bidders, count(DISTINCT auction) AS auctions"

  /** Spark refuses DISTINCT in a stream. */
  private val sets =
    "cast(size(collect_set(bidder)) AS bigint) AS bidders, cast(size(collect_set(auction)) AS bigint) AS auctions"

  def tables: Seq[String] = Seq("bids")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT $row FROM windrow_tumble(TABLE(SELECT channel, $counts, $distinct FROM bids GROUP BY channel),
          time => 'ts', ${windows.windrow._2}, $options)""")

  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"""SELECT $row FROM (SELECT channel, ${windows.spark} AS window, $counts, $sets
          FROM bids GROUP BY channel, ${windows.spark})"""))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT channel, start, $counts, $distinct
        FROM (${windows.plain("bids", Seq("channel"))}) WHERE end <= ${in.until(tables)} GROUP BY channel, start""")
}
