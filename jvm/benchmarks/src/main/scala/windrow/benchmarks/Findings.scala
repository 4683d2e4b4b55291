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

/** What became of a workload.
  *
  * @param made
  *   when, and on what
  * @param error
  *   why there is nothing to be said of it
  */
final case class Result(
    workload: String,
    made: String = "",
    events: Long = 0,
    batch: Long = 0,
    runs: Seq[Timed] = Nil,
    error: Option[String] = None) {

  /** A figure of a contender, of each repeat. */
  def each(contender: Contender, pass: String)(value: Measured => Double): Seq[Double] =
    runs.filter(run => run.contender == contender.name && run.pass == pass).sortBy(_.repeat).map(run =>
      value(run.measured))

  /** Of two contenders, within each repeat. */
  def ratio(of: Contender, to: Contender, pass: String)(value: Measured => Double): Seq[Double] =
    each(of, pass)(value).zip(each(to, pass)(value)).map { case (a, b) => a / b }
}

/** Results of one run, or of several of which each was of some workloads. */
final case class Findings(results: Seq[Result]) {

  /** With what was found anew in the place of what was; each workload where it stands among all. */
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
