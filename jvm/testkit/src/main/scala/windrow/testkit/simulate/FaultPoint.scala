package windrow.testkit

import scala.collection.mutable

/** What goes wrong around a shard, in the ways in which Spark, its stores and machines go wrong. */
sealed abstract class FaultPoint(override val toString: String)

object FaultPoint {

  /** The store refuses to write: the task fails, its changes are forgotten, it runs again. */
  case object WriteFails extends FaultPoint("a write fails")

  /** The store refuses to read. */
  case object ReadFails extends FaultPoint("a read fails")

  /** The task has ended, but another attempt wins, or the executor is lost before the commit. */
  case object AttemptLost extends FaultPoint("an attempt is lost at its end")

  /** The driver dies between the commits of the shards and that of the batch: the batch comes again, in another order. */
  case object BatchRepeated extends FaultPoint("a committed batch is repeated")

  /** The query goes away and comes back. */
  case object Restart extends FaultPoint("a restart")

  /** What is written loses its end. */
  case object WriteShort extends FaultPoint("a short write")

  /** Only the beginning of what is written arrives; behind it stands what was there before. */
  case object WriteTorn extends FaultPoint("a torn write")

  /** A bit of what is written is another one. */
  case object BitFlips extends FaultPoint("a bit that flips")

  /** Those that a store does not notice: the shard must, as it reads. */
  val Silent: Seq[FaultPoint] = Seq(WriteShort, WriteTorn, BitFlips)

  val All: Seq[FaultPoint] = Seq(WriteFails, ReadFails, AttemptLost, BatchRepeated, Restart) ++ Silent
}

/** How often faults have happened, and how much ran under them. */
final class SimulationCounts {
  private val hits = mutable.HashMap.empty[FaultPoint, Long].withDefaultValue(0L)

  /** Attempts of shards at a step. */
  var steps: Long = 0

  /** Damages that a shard found as it read, by name. */
  var found: Long = 0

  var cases: Long = 0

  /** Event time that has passed, in microseconds. */
  var simulated: Double = 0

  def and(other: SimulationCounts): SimulationCounts = {
    val sum = new SimulationCounts
    for (one <- Seq(this, other)) {
      one.hits.foreach { case (point, count) => sum.hits(point) += count }
      sum.steps += one.steps
      sum.found += one.found
      sum.cases += one.cases
      sum.simulated += one.simulated
    }
    sum
  }

  def hit(point: FaultPoint): Unit = hits(point) += 1
  def of(point: FaultPoint): Long  = hits(point)
  def least: Long                  = FaultPoint.All.map(hits).min
  override def toString: String = FaultPoint.All.map(point => s"$point ${hits(point)}").mkString(", ") +
    s"; $steps steps; $found damages found by name"
}
