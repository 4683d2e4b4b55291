package windrow.testkit

import scala.collection.mutable

/** Counts faults, and the work that ran under them. */
final class SimulationCounts {
  private val hits = mutable.HashMap.empty[FaultPoint, Long].withDefaultValue(0L)

  /** The number of attempts to run a batch. */
  var attempts: Long = 0

  /** The number of steps of shards: each attempt runs a step on every shard. */
  var steps: Long = 0

  /** The number of damaged values for which a shard raised an error as it read them. */
  var found: Long = 0

  /** The numbers of out-of-date values that a shard reported, and of those that changed the output. */
  var staleFound, staleShown: Long = 0

  var cases: Long = 0

  /** The event time that has passed, in microseconds. */
  var simulated: Double = 0

  def and(other: SimulationCounts): SimulationCounts = {
    val sum = new SimulationCounts
    for (one <- Seq(this, other)) {
      one.hits.foreach { case (point, count) => sum.hits(point) += count }
      sum.attempts += one.attempts
      sum.steps += one.steps
      sum.found += one.found
      sum.staleFound += one.staleFound
      sum.staleShown += one.staleShown
      sum.cases += one.cases
      sum.simulated += one.simulated
    }
    sum
  }

  def hit(point: FaultPoint, times: Long = 1): Unit = hits(point) += times
  def of(point: FaultPoint): Long                   = hits(point)

  override def toString: String = FaultPoint.All.map(point => s"$point ${hits(point)}").mkString(", ") +
    s"; $steps steps of shards in $attempts attempts at batches; $found damages found by name; of values too old " +
    s"$staleFound found, $staleShown changed the output"
}
