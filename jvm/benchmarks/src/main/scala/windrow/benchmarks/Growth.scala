package windrow.benchmarks

import windrow.benchmarks.queries.{Amount, Grouped, Hops, Keyed, Question, Stored, Values}

/** The size in which workloads of a family differ while everything else is equal.
  *
  * @param family
  *   the name of the size
  * @param at
  *   the size in this workload
  */
final case class Size(family: String, at: Long)

/** Workloads of one family for each size, to show how cost grows with it. */
object Growth {

  /** The common base: the same aggregates over 60 s for a thousand keys. */
  private val minute = Grouped(Hops(60, 60))
  private val some   = Amount(1000000, 125000)
  private val toPeer = Seq(Windrow, SparkOwn)

  /** A stream long enough that windows of 600 s are complete before its end. */
  private val sparser = Keyed.steady("sparser", 1000, perSecond = 1000)

  private def each(family: String, sizes: Long*)(of: (String, Long) => Workload): Seq[Workload] =
    sizes.map(n => of(s"$family-$n", n).copy(size = Some(Size(family, n))))

  private val keys = each("keys", 100, 1000, 10000, 100000, 1000000) { (name, n) =>
    Workload(name, Keyed.steady(name, n), minute, some, toPeer)
  }

  /** Windows of 600 s with a varying number of windows for each message. Spark copies a message for each window. */
  private val overlap = each("overlap", 1, 6, 60, 600) { (name, n) =>
    val peers = if (n > 60) Seq(Windrow) else toPeer
    val check = if (n > 6) Amount(160000, 80000) else Amount(800000, 400000) // so that a window is complete
    Workload(name, sparser, Grouped(Hops(600, 600 / n.toInt)), some, peers, check)
  }

  private val batches = each("batch", 1000, 10000, 100000, 1000000) { (name, n) =>
    val amount = Amount(math.max(40 * 1000, 12 * n) / n * n, n)
    Workload(name, Keyed.steady("batches", 1000), minute, amount, toPeer)
  }

  /** Varies the number of messages in each window of 50 s, with state for every message: in order, sorted, or as it
    * arrived.
    */
  private def inside(family: String, contenders: Seq[Contender])(question: Question) =
    each(family, 10, 1000, 100000, 1000000) { (name, n) =>
      Workload(
        name,
        Keyed.steady(s"inside-$n", 1000000 / n, perSecond = 20000),
        question,
        Amount(2200000, 200000),
        contenders,
        check = Amount(1200000, 200000))
    }

  private val full = Hops(50, 50)

  val all: Seq[Workload] = keys ++ overlap ++ batches ++
    inside("list", toPeer)(Grouped(full, Values.All)) ++
    inside("ranks", toPeer)(Grouped(full, Values.Ranks)) ++
    inside("store", Seq(Windrow))(Stored(full))
}
