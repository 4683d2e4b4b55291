package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** The queries of Nexmark that join two tables. An auction accepts bids for 10 s, so a join has a range of time, and its
  * state an end.
  */
object AuctionJoins {
  private[queries] val Open = 10

  private[queries] def within(later: String, earlier: String): String =
    s"$later.ts BETWEEN $earlier.ts AND $earlier.ts + INTERVAL $Open SECONDS"

  /** The bids of each auction, under the name of the auction. */
  private[queries] val bids     = "(SELECT ts, auction AS id, bidder, price FROM bids) b"
  private[queries] val auctions = "(SELECT ts, id, category FROM auctions) a"
}

/** Rows of a join.
  *
  * @param row
  *   the selected columns; `key` stands for the equal column
  */
sealed abstract class JoinedAuctions(val tables: Seq[String], row: String, from: String) extends Question {
  private val join = s"SELECT * FROM $from"

  private def selected(key: String) = row.replace("key", key)

  def windrow(in: Feed, options: String): DataFrame =
    in.marked(s"SELECT ${selected("id")} FROM windrow_join(TABLE($join), $options)")

  def spark(in: Feed): Option[DataFrame] = Some(plain(in.marked(_)))
  def plain(in: Feed): DataFrame         = plain(in.plain(_))

  private def plain(run: String => DataFrame): DataFrame = run(s"SELECT ${selected("a.id")} FROM $from")

  override def settings: Map[String, String] = Map("spark.sql.streaming.join.stateFormatVersion" -> "4")
}

/** Nexmark q3: auctions of one category by persons of three states who registered at most 10 s before. */
case object LocalItems
    extends JoinedAuctions(
      Seq("persons", "auctions"),
      "key AS person, p.state AS state, p.city AS city, a.auction AS auction",
      "(SELECT ts, id, state, city FROM persons WHERE state < 3) p JOIN " +
        "(SELECT ts, seller AS id, id AS auction FROM auctions WHERE category = 0) a " +
        s"ON p.id = a.id AND ${AuctionJoins.within("a", "p")}")

/** Nexmark q20: bids with their auction, of one category. */
case object BidsWithAuction
    extends JoinedAuctions(
      Seq("auctions", "bids"),
      "key AS auction, unix_micros(b.ts) AS at, b.bidder AS bidder, b.price AS price, a.category AS category",
      s"${AuctionJoins.auctions.replace("FROM auctions", "FROM auctions WHERE category = 0")} JOIN ${AuctionJoins.bids} " +
        s"ON a.id = b.id AND ${AuctionJoins.within("b", "a")}")

/** Nexmark q9: the highest bid of each auction, and of equal ones the first. */
case object WinningBids extends Question {
  private val best = "max(struct(price, -at AS earlier, -bidder AS other)) AS best"
  private val row  = "auction, opened, best.price AS price, -best.earlier AS at, -best.other AS bidder"
  private val join =
    s"${AuctionJoins.auctions} JOIN ${AuctionJoins.bids} ON a.id = b.id AND ${AuctionJoins.within("b", "a")}"
  private[queries] val columns =
    "a.ts AS ts, a.category AS category, b.price AS price, unix_micros(b.ts) AS at, b.bidder AS bidder"

  def tables: Seq[String] = Seq("auctions", "bids")

  /** All rows of an auction have its time, so its session ends when the auction does. */
  private[queries] def ofAuction(options: String): String =
    s"""SELECT * FROM windrow_session(TABLE(
          SELECT auction, category, $best FROM (
            SELECT id AS auction, $columns FROM windrow_join(TABLE(SELECT * FROM $join), $options))
          GROUP BY auction, category),
        stream => 'winners', time => 'ts', gap => '${AuctionJoins.Open} seconds', $options)"""

  private[queries] val ofAuctionInSpark: String =
    s"""SELECT auction, category, session_window(ts, '${AuctionJoins.Open} seconds') AS window, $best
        FROM (SELECT a.id AS auction, $columns FROM $join)
        GROUP BY auction, category, session_window(ts, '${AuctionJoins.Open} seconds')"""

  private[queries] def plainly(in: Feed): String =
    s"""SELECT auction, category, unix_micros(ts) AS opened, $best FROM (SELECT a.id AS auction, $columns FROM $join)
        WHERE unix_micros(ts) + ${AuctionJoins.Open * 1000000L} <= ${in.until(tables)} - ${AuctionJoins.Open * 1000000L}
        GROUP BY auction, category, ts"""

  private def marked(in: Feed, rows: String) =
    in.marked(s"SELECT $row FROM (SELECT *, unix_micros(window.start) AS opened FROM ($rows))")

  def windrow(in: Feed, options: String): DataFrame = marked(in, ofAuction(options))
  def spark(in: Feed): Option[DataFrame]            = Some(marked(in, ofAuctionInSpark))
  def plain(in: Feed): DataFrame                    = in.plain(s"SELECT $row FROM (${plainly(in)})")
}

/** Nexmark q4: the average price of the auctions of each category that closed in the same 10 s, as the sum and the
  * number.
  */
case object CategoryPrices extends Question {
  private val windows    = Hops(10, 10)
  private val aggregates = "sum(best.price) AS price, count(*) AS n"
  private val row        = "category, unix_micros(window.start) AS start, price, n"

  def tables: Seq[String] = WinningBids.tables

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT $row FROM windrow_tumble(TABLE(
          SELECT category, $aggregates FROM (${WinningBids.ofAuction(options)}) GROUP BY category),
        stream => 'categories', ${windows.windrow._2}, $options)""")

  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"""SELECT $row FROM (SELECT category, window(window, '10 seconds') AS window, $aggregates
          FROM (${WinningBids.ofAuctionInSpark}) GROUP BY category, window(window, '10 seconds'))"""))

  /** An auction closes at the last instant of its window. Rows of the join are up to 10 s behind the watermark, and no
    * later operator adds to this.
    */
  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT category, start, $aggregates FROM (
          SELECT *, (opened + ${AuctionJoins.Open * 1000000L - 1}) DIV 10000000 * 10000000 AS start
          FROM (${WinningBids.plainly(in)}))
        WHERE start + 10000000 <= ${in.until(tables)} - ${AuctionJoins.Open * 1000000L}
        GROUP BY category, start""")
}
