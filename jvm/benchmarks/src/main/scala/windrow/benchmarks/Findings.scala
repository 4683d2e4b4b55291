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
    error: Option[String] = None) {

  /** Returns a figure of a contender, one for each repeat. */
  def each(contender: Contender, pass: String)(value: Measured => Double): Seq[Double] =
    runs.filter(run => run.contender == contender.name && run.pass == pass).sortBy(_.repeat).map(run =>
      value(run.measured))

  /** Returns the ratio of a figure of two contenders, one for each repeat. */
  def ratio(of: Contender, to: Contender, pass: String)(value: Measured => Double): Seq[Double] =
    each(of, pass)(value).zip(each(to, pass)(value)).map { case (a, b) => a / b }
}

/** Results of one run, or of several runs with different workloads. */
final case class Findings(results: Seq[Result]) {

  /** Replaces the result of a workload, and keeps the order of all workloads. */
  def and(result: Result): Findings = {
    val places = Workload.all.map(_.name).zipWithIndex.toMap
    Findings((results.filter(_.workload != result.workload) :+ result).sortBy(one => places(one.workload)))
  }
}

/** Several repeats of one figure. */
final case class Spread(values: Seq[Double]) {
  def median: Double = {
    val sorted = values.sorted
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2
  }

  override def toString: String =
    if (values.isEmpty) "–"
    else if (values.size == 1) f"$median%.2f"
    else f"$median%.2f (${values.min}%.2f to ${values.max}%.2f)"
}
