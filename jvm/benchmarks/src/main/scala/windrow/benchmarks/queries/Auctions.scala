package windrow.benchmarks.queries

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._
import windrow.benchmarks.queries.Source.chance

/** The events of Nexmark that its windowed queries read. Each 50 events are one person, 3 auctions and 46 bids, at
  * 10,000 events per second. Half of the bids are on the hot one of the last hundred auctions, three quarters by a hot
  * bidder.
  */
object Auctions {
  private val Round     = 50L
  private val PerSecond = 10000
  private val InFlight  = 100L
  private val Active    = 1000L

  private val within                 = (n: Column) => pmod(n, lit(Round))
  private val lastPerson             = (n: Column) => floor(n / Round)
  private def lastAuction(n: Column) = floor(n / Round) * 3 + least(greatest(within(n) - 1, lit(0L)), lit(2L))
  private def hot(last: Column)      = floor(last / InFlight) * InFlight
  private def recent(last: Column, n: Column, what: Int, of: Long) = greatest(last - chance(n, what, of), lit(0L))
  private val ts = (n: Column) => timestamp_micros(Source.micros(n, PerSecond)).as("ts")

  private val persons = Table(
    "persons",
    "ts timestamp, id bigint, state bigint, city bigint",
    n => within(n) === 0,
    n => Seq(ts(n), lastPerson(n).as("id"), chance(n, 8, 6).as("state"), chance(n, 9, 10).as("city")))

  private val auctions = Table(
    "auctions",
    "ts timestamp, id bigint, seller bigint, category bigint",
    n => within(n).between(1, 3),
    n =>
      Seq(
        ts(n),
        lastAuction(n).as("id"),
        when(chance(n, 1, 4) > 0, hot(lastPerson(n))).otherwise(recent(lastPerson(n), n, 2, Active)).as("seller"),
        chance(n, 10, 5).as("category")))

  private val bids = Table(
    "bids",
    "ts timestamp, auction bigint, bidder bigint, price bigint, channel bigint",
    n => within(n) > 3,
    n =>
      Seq(
        ts(n),
        when(chance(n, 3, 2) > 0, hot(lastAuction(n))).otherwise(recent(lastAuction(n), n, 4, InFlight)).as("auction"),
        when(chance(n, 5, 4) > 0, hot(lastPerson(n)) + 1).otherwise(recent(lastPerson(n), n, 6, Active)).as("bidder"),
        round(pow(lit(10.0), chance(n, 7, 6000) / 1000.0) * 100).cast("bigint").as("price"),
        chance(n, 11, 1000).as("channel")))

  val source: Source = Source("nexmark", Seq(persons, auctions, bids))
}
