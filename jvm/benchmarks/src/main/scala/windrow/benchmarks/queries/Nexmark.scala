package windrow.benchmarks.queries

import org.apache.spark.sql.DataFrame

/** Nexmark q5: in each window of 10 s every 2 s, the auction with the most bids. If several have equally many, the one
  * with the highest number.
  */
case object HotItems extends Question {
  private val windows = Hops(10, 2)
  private val packed  = "max(n * 1000000000 + auction) AS hot"
  private val row     = "unix_micros(window.start) AS start, unix_micros(window.end) AS end, hot"

  def tables: Seq[String] = Seq("bids")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT $row FROM windrow_inherit(TABLE(SELECT $packed FROM windrow_hop(
          TABLE(SELECT auction, count(*) AS n FROM bids GROUP BY auction),
          time => 'ts', ${windows.windrow._2}, $options)), stream => 'counts', $options)""")

  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"""SELECT $row FROM (SELECT window, $packed FROM (
          SELECT auction, ${windows.spark} AS window, count(*) AS n FROM bids GROUP BY auction, ${windows.spark})
        GROUP BY window)"""))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT start, end, $packed FROM (
          SELECT auction, start, end, count(*) AS n FROM (${windows.plain(
        "bids",
        Seq("auction"))}) GROUP BY auction, start, end)
        WHERE end <= ${in.until(tables)} GROUP BY start, end""")
}

/** Nexmark q8: new persons who open an auction in the same 10 s. */
case object NewUsers extends Question {
  private val windows = Hops(10, 10)

  def tables: Seq[String] = Seq("persons", "auctions")

  def windrow(in: Feed, options: String): DataFrame = in.marked(
    s"""SELECT id, unix_micros(window.start) AS start, begun, offered FROM windrow_tumble(TABLE(
          SELECT id, count(p.id) AS begun, count(a.id) AS offered FROM windrow_cogroup(
            TABLE(SELECT ts, id FROM persons p), TABLE(SELECT ts, seller AS id FROM auctions a), key => 'id', time => 'ts')
          GROUP BY id), ${windows.windrow._2}, $options)
        WHERE begun > 0 AND offered > 0""")

  def spark(in: Feed): Option[DataFrame] = Some(in.marked(
    s"""SELECT id, unix_micros(window.start) AS start, begun, offered FROM (
          SELECT id, ${windows.spark} AS window, sum(person) AS begun, sum(auction) AS offered FROM ($both)
          GROUP BY id, ${windows.spark})
        WHERE begun > 0 AND offered > 0"""))

  def plain(in: Feed): DataFrame = in.plain(
    s"""SELECT id, start, sum(person) AS begun, sum(auction) AS offered FROM (
          SELECT * FROM (${windows.plain(s"($both)", Seq("id"))}) WHERE end <= ${in.until(tables)})
        GROUP BY id, start HAVING begun > 0 AND offered > 0""")

  private val both =
    "SELECT ts, id, 1 AS person, 0 AS auction FROM persons UNION ALL SELECT ts, seller, 0, 1 FROM auctions"
}

object Nexmark {

  /** q7: the highest bid of each 10 s. */
  val highestBid: Question = Grouped(Hops(10, 10), Values.Highest, "bids", keys = Nil)

  /** q11: bids in each session of a bidder. */
  val sessions: Question = Grouped(Gaps(10), Values.Count, "bids", Seq("bidder"))

  /** q12: bids of each bidder in each 10 s, in event time because outputs by the clock are never equal. */
  val perBidder: Question = Grouped(Hops(10, 10), Values.Count, "bids", Seq("bidder"))
}
