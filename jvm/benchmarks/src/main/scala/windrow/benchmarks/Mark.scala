package windrow.benchmarks

/** The maximal value of a figure. */
sealed trait Mark {
  def most: Double
}

object Mark {

  /** CPU per event relative to a peer, in runs of a fresh JVM and of a warm one.
    *
    * @param warmOnly
    *   whether a fresh run is shown, but not judged
    */
  final case class Ratio(of: Contender, to: Contender, most: Double, warmOnly: Boolean = false) extends Mark

  /** CPU of each pane that another contender does not emit, relative to that contender's cost of one of its panes. */
  final case class FurtherPane(of: Contender, to: Contender, most: Double) extends Mark

  /** The 99th percentile of the latency of events, relative to a peer. */
  final case class Latency(of: Contender, to: Contender, most: Double) extends Mark

  /** CPU microseconds per event. */
  final case class Micros(of: Contender, most: Double) extends Mark

  /** The cost of the most expensive workload of a family, relative to the cheapest. */
  final case class Flat(of: Contender, family: String, most: Double) extends Mark
}
