package windrow.benchmarks

/** What a figure may be at most. */
sealed trait Mark {
  def most: Double
}

object Mark {

  /** CPU for each event to that of a peer, in runs of a JVM that is fresh, and of one that is warm.
    *
    * @param warmOnly
    *   a fresh run is shown, but not judged
    */
  final case class Ratio(of: Contender, to: Contender, most: Double, warmOnly: Boolean = false) extends Mark

  /** CPU for each pane that another contender has not, to what one of its panes costs it. */
  final case class FurtherPane(of: Contender, to: Contender, most: Double) extends Mark

  /** The 99th percentile of what events wait, to that of a peer. */
  final case class Latency(of: Contender, to: Contender, most: Double) extends Mark

  /** CPU microseconds for each event. */
  final case class Micros(of: Contender, most: Double) extends Mark

  /** The dearest to the cheapest of all workloads of one family. */
  final case class Flat(of: Contender, family: String, most: Double) extends Mark
}
