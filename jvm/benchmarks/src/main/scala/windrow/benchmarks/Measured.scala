package windrow.benchmarks

import windrow.benchmarks.queries.Amount

/** The figures of a run.
  *
  * @param cpu
  *   microseconds of the entire process, user and system, per event
  * @param perSecond
  *   events per second of wall-clock time
  * @param digest
  *   digest of all output rows
  * @param stateBytes
  *   size of the state after the last batch, as the engine reports it; -1 if it does not report it
  * @param residentMegabytes
  *   the greatest memory that the process ever had
  * @param slowestBatch
  *   99th percentile of the batches' durations, milliseconds
  * @param latency
  *   99th percentile of the time from the arrival of an event to the end of its batch, milliseconds, if events arrive
  *   at a given rate
  */
final case class Measured(
    cpu: Double,
    perSecond: Double,
    digest: Digest,
    stateBytes: Long,
    residentMegabytes: Long,
    slowestBatch: Double,
    latency: Option[Double] = None)

/** A job for a worker. A workload and a contender are identified by their names. */
final case class Job(task: String, workload: String, contender: String, amount: Amount)

object Job {
  val Plain = "plain"
  val Check = "check"
  val Time  = "time"

  /** Writes the files that all contenders read. */
  val Write = "write"

  /** Writes the files that Flink reads. */
  val Decode = "decode"
}

/** The answer to a job: one of the three. */
final case class Reply(
    measured: Option[Measured] = None,
    digest: Option[Digest] = None,
    error: Option[String] = None)
