package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Nexmark q19: the ten highest bids of each auction, in each 10 s. Bids of equal price are ordered by bidder. */
case object TopBids extends Question {
  private val windows = Hops(10, 10)
  private val row     = "auction, unix_micros(window.start) AS start, xxhash64(top) AS top"

  def tables: Seq[String] = Seq("bids")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT $row FROM windrow_tumble(TABLE(
          SELECT auction, windrow_top_n(10, struct(price, bidder)) WITHIN GROUP (ORDER BY price DESC, bidder DESC) AS top
          FROM bids GROUP BY auction), time => 'ts', ${windows.windrow._2}, $options)""")

  /** `max_by` with a number exists from Spark 4.2 on. */
  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"""SELECT $row FROM (
          SELECT auction, ${windows.spark} AS window,
            max_by(struct(price, bidder), struct(price, bidder), 10) AS top
          FROM bids GROUP BY auction, ${windows.spark})"""))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT auction, start, xxhash64(transform(places, one -> struct(one.price, one.bidder))) AS top FROM (
          SELECT auction, start, sort_array(collect_list(struct(place, price, bidder))) AS places FROM (
            SELECT *, row_number() OVER (PARTITION BY auction, start ORDER BY price DESC, bidder DESC) AS place
            FROM (${windows.plain("bids", Seq("auction", "price", "bidder"))}) WHERE end <= ${in.until(tables)})
          WHERE place <= 10 GROUP BY auction, start)""")
}
