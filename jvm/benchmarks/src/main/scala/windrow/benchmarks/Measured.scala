package windrow.benchmarks

/** What a run took.
  *
  * @param cpu
  *   microseconds of the whole process, user and system, for each event
  * @param perSecond
  *   events a second of wall-clock time
  * @param digest
  *   of all rows that came out
  * @param stateBytes
  *   of state after the last batch, as the engine reports it; -1: it does not
  * @param residentMegabytes
  *   the most memory that the process ever had
  * @param slowestBatch
  *   99th percentile of the batches' durations, milliseconds
  * @param latency
  *   99th percentile of the time from an event's coming to the end of the batch that took it, milliseconds, where events
  *   come at a rate
  */
final case class Measured(
    cpu: Double,
    perSecond: Double,
    digest: Digest,
    stateBytes: Long,
    residentMegabytes: Long,
    slowestBatch: Double,
    latency: Option[Double] = None)

/** What a worker is told to do. A workload and a contender are known by their names. */
final case class Job(task: String, workload: String, contender: String, amount: Amount)

object Job {
  val Plain = "plain"
  val Check = "check"
  val Time  = "time"

  /** Make the files that all read. */
  val Write = "write"

  /** Make those that Flink reads. */
  val Decode = "decode"
}

/** What came of it: one of the three. */
final case class Reply(
    measured: Option[Measured] = None,
    digest: Option[Digest] = None,
    error: Option[String] = None)
