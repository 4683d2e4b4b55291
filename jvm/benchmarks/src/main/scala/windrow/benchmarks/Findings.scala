package windrow.benchmarks

/** A run of a contender.
  *
  * @param pass
  *   whether the process was fresh or warm
  */
final case class Timed(contender: String, pass: String, repeat: Int, measured: Measured)

object Timed {
  val Fresh = "fresh"
  val Warm  = "warm"
}

/** The result of a workload.
  *
  * @param made
  *   date and environment of the run
  * @param error
  *   the reason why figures are missing
  */
final case class Result(
    workload: String,
    made: String = "",
    events: Long = 0,
    batch: Long = 0,
    runs: Seq[Timed] = Nil,
    error: Option[String] = None)

/** Results of one run, or of several runs with different workloads. */
final case class Findings(results: Seq[Result]) {

  /** Replaces the result of a workload, and keeps the order of all workloads. */
  def and(result: Result): Findings = {
    val places = Workload.all.map(_.name).zipWithIndex.toMap
    Findings((results.filter(_.workload != result.workload) :+ result).sortBy(one => places(one.workload)))
  }
}
