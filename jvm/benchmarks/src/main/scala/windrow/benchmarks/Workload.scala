package windrow.benchmarks

import windrow.benchmarks.Contender._
import windrow.benchmarks.queries.{
  Amount, Auctions, BidsWithAuction, Bursts, CategoryPrices, Channels, Copies, Counted, Disorder, Gaps, Grouped, Hops,
  HotItems, InSql, Keyed, LastBids, LastRights, LocalItems, NewUsers, Nexmark, Pairs, Question, Rises, Several, Slides,
  Source, TopBids, Values, Windows, WinningBids
}

/** A question about a number of events of a stream, with its contenders.
  *
  * @param check
  *   the number of events for which outputs are compared
  * @param pace
  *   the rate if events arrive by the clock, not from files
  * @param size
  *   the only difference from other workloads of the same family
  * @param quick
  *   whether a quick run includes it
  */
final case class Workload(
    name: String,
    source: Source,
    question: Question,
    amount: Amount,
    contenders: Seq[Contender],
    check: Amount = Amount(160000, 80000),
    pace: Option[Pace] = None,
    size: Option[Size] = None,
    quick: Boolean = false)

object Workload {

  /** The number of events of each workload in a quick run. */
  val Quick: Amount = Amount(240000, 60000)

  private val dense   = Keyed.steady("dense", 1000)
  private val sparse  = Keyed.steady("sparse", 100000)
  private val million = Keyed.steady("million", 1000000)

  /** Starts 20 s before midnight, so that windows of a day are emitted once and then stay open. */
  private val midnight = Keyed.steady("midnight", 1000000, from = 86400 - 20)

  /** Events 0.4 s apart, then a pause of 10 s. */
  private val denseSessions = Keyed.bursts("dense-sessions", 1000, Bursts(events = 100, rest = 25))

  /** Events 2 s apart, then a pause of 480 s. */
  private val sparseSessions = Keyed.bursts("sparse-sessions", 100000, Bursts(events = 10, rest = 240))

  private val large = Amount(4000000, 500000)
  private val small = Amount(1000000, 20000)
  private val peers = Seq(Windrow, SparkOwn, FlinkHeap, FlinkRocksDB)

  private def whole(name: String, source: Source, windows: Windows) =
    Workload(name, source, Grouped(windows), large, peers)

  private val windows = Seq(
    whole("tumble-1k", dense, Hops(60, 60)).copy(quick = true),
    whole("tumble-100k", sparse, Hops(60, 60)).copy(quick = true),
    whole("tumble-1m", million, Hops(60, 60)),
    whole("hop-60-10-1k", dense, Hops(60, 10)).copy(quick = true),
    whole("hop-60-1-1k", dense, Hops(60, 1)),
    whole("hop-60-10-100k", sparse, Hops(60, 10)).copy(quick = true),
    Workload("hop-60-1-100k", sparse, Grouped(Hops(60, 1)), Amount(1000000, 250000), peers),
    whole("session-1k", denseSessions, Gaps(5)).copy(quick = true),
    whole("session-100k", sparseSessions, Gaps(5)))

  private def join(name: String, keys: Long, amount: Amount) =
    Workload(name, Keyed.sides(name, keys), Pairs(10), amount, peers)

  private val joins = Seq(
    join("join-10k", 10000, Amount(600000, 100000)).copy(quick = true),
    join("join-100", 100, Amount(120000, 20000)).copy(check = Amount(24000, 12000)))

  private val disorder = Seq(0, 1, 10, 60).map { within =>
    Workload(
      s"disorder-$within",
      Keyed.disordered(s"disorder-$within", 1000, Disorder(within, late = 60)),
      Grouped(Hops(60, 1), refire = 60),
      large,
      Seq(Windrow, SparkOwn))
  }

  /** Varies the number of events in 10 s for each of 1,000 keys. The stream spans at least four windows. */
  private val sliding = Seq(10, 100, 1000).map { inside =>
    Workload(
      s"slide-$inside",
      Keyed.steady(s"each-$inside", 1000, perSecond = inside * 100),
      Slides(10),
      large,
      Seq(Windrow))
  }

  /** Checks 1,200,000 events, because no window of a thousand messages is full before a million events. */
  private def counted(name: String, n: Int, step: Int) =
    Workload(
      name,
      dense,
      Counted(n, step),
      large,
      Seq(Windrow, FlinkHeap, FlinkRocksDB),
      check = Amount(1200000, 600000))

  private val counts = Seq(counted("count-1000", 1000, 1000), counted("count-1000-100", 1000, 100))

  /** Varies the number of events in 60 s for each of 1,000 keys. */
  private val ranks = Seq(60, 600).map { inside =>
    Workload(
      s"ranks-$inside",
      Keyed.steady(s"ranked-$inside", 1000, perSecond = inside * 1000 / 60),
      Grouped(Hops(60, 10), Values.Ranks),
      Amount(1000000, 125000),
      Seq(Windrow, SparkOwn))
  }

  private val offsets = Workload(
    "offsets",
    Keyed.positioned("positioned", 1000, partitions = 16),
    Grouped(Hops(60, 60)),
    large,
    Seq(Windrow, Offsets))

  private def often(name: String, source: Source, size: Int, contenders: Contender*) =
    Workload(name, source, Grouped(Hops(size, size)), small, Seq(Windrow, SparkOwn) ++ contenders)

  /** Batches of 20,000 events. */
  private val batches = Seq(
    often("often-1k", dense, 60, Reading),
    often("often-1m", million, 60),
    often("often-day", midnight, 86400))

  /** Every event has a key of its own, except copies. */
  private val copies = Seq("dedup" -> large, "dedup-often" -> small).map { case (name, amount) =>
    Workload(name, Keyed.copies("copies"), Copies, amount, Seq(Windrow, SparkOwn))
  }

  private val panes =
    Seq(("panes-tumble-1k", dense, 60), ("panes-tumble-100k", sparse, 60), ("panes-hop-100k", sparse, 10))
      .map { case (name, source, step) =>
        Workload(
          name,
          source,
          Grouped(Hops(60, step)),
          large,
          Seq(Windrow, Early, Late, Retracting))
      }

  private def nexmark(query: Int, question: Question) =
    Workload(s"nexmark-q$query", Auctions.source, question, large, Seq(Windrow, SparkOwn))

  /** Checks 60 s of events, because the last operator of a chain emits its first rows after some windows. */
  private def ofChains(query: Int, question: Question) =
    nexmark(query, question).copy(check = Amount(600000, 120000))

  private val auctions = Seq(
    ofChains(3, LocalItems),
    ofChains(4, CategoryPrices),
    nexmark(5, HotItems).copy(quick = true),
    nexmark(7, Nexmark.highestBid),
    nexmark(8, NewUsers),
    ofChains(9, WinningBids),
    nexmark(11, Nexmark.sessions),
    nexmark(12, Nexmark.perBidder),
    nexmark(16, Channels),
    nexmark(18, LastBids),
    nexmark(19, TopBids),
    ofChains(20, BidsWithAuction))

  /** A minute, five minutes, and an hour in steps, and an hour and a day that do not overlap. */
  private val several = Seq("five-windows-1k" -> dense, "five-windows-100k" -> sparse).map { case (name, source) =>
    val windows = Seq(Hops(60, 60), Hops(300, 60), Hops(3600, 300), Hops(3600, 3600), Hops(86400, 86400))
    Workload(name, source, Several(windows), large, Seq(Windrow, Apart))
  }

  private val series = Seq("asof-10k" -> false, "asof-corrected-10k" -> true).map { case (name, corrects) =>
    Workload(name, Keyed.sides(name, 10000), LastRights(10, corrects), large, Seq(Windrow))
  } ++ Seq("match-1k" -> dense, "match-100k" -> sparse).map { case (name, source) =>
    Workload(name, source, Rises(readsMatch = false), large, Seq(Windrow), check = Amount(800000, 200000))
  } :+ Workload("match-earlier-1k", dense, Rises(readsMatch = true), large, Seq(Windrow))

  private def alone(name: String, source: Source, question: Question) =
    Workload(name, source, question, large, Seq(Windrow))

  /** Starts 20 s before the midnight of Berlin. */
  private val evening = Keyed.steady("evening", 1000, from = 23 * 3600 - 20)

  private val questions = Seq(
    alone("join-three-10k", Keyed.inTurn("in-three", 10000, "a", "b", "c"), InSql.outerChain),
    alone("gaps-1k", denseSessions, InSql.filledGaps),
    alone("linear-1k", denseSessions, InSql.linearGaps),
    alone("carried-1k", dense, InSql.carriedAverage).copy(check = Amount(320000, 80000)),
    alone("states-1k", dense, InSql.statesAndCounters).copy(check = Amount(320000, 80000)),
    alone("previous-1k", dense, InSql.previousRow),
    alone("running-1k", dense, InSql.running),
    alone("session-ends-1k", denseSessions, InSql.endingSessions).copy(check = Amount(240000, 80000)),
    alone("days-1k", evening, InSql.days),
    alone("hop-days-1k", evening, InSql.hoppingDays),
    alone("partitions-1k", Keyed.positioned("positioned", 1000, partitions = 16), InSql.byPartition),
    alone("distinct-1k", dense, Grouped(Hops(60, 60), Values.Distinct)))

  private val latency = Seq(1000, 10000).map { perSecond =>
    val pace = Pace(perSecond, 120)
    Workload(
      s"latency-$perSecond",
      PacedTrial.source,
      Grouped(Hops(60, 60), refire = 1),
      pace.amount,
      Seq(Early, SparkOwn),
      pace = Some(pace))
  }

  private val python =
    Workload(
      "from-python",
      dense,
      Grouped(Hops(60, 60)),
      large,
      Seq(Windrow, Python))

  /** The workloads that run by default. */
  val usual: Seq[Workload] =
    windows ++ joins ++ disorder ++ sliding ++ counts ++ ranks ++ Seq(
      offsets) ++ batches ++ copies ++ panes ++ several ++ series ++ questions ++ auctions ++ latency :+
      python

  val all: Seq[Workload] = usual ++ Growth.all

  def apply(name: String): Workload = all.find(_.name == name).getOrElse(sys.error(s"workload '$name' does not exist"))
}
