package windrow.benchmarks

/** When a process is warm: it has worked on the workload so long that what its JVM compiles is compiled. */
object Warmth {

  /** Seconds, most of which a fresh JVM compiles in. */
  val Least = 20.0

  /** Seconds after which a run is the last, whatever it has gained. */
  val Most = 90.0

  /** A process is not warm where a run costs less than so much of the one before. */
  val Settled = 0.95

  /** Runs until a process has worked enough before the last one, and that has gained next to nothing.
    *
    * @param before
    *   seconds that the process has worked
    * @param cost
    *   of the run before
    * @param taken
    *   seconds that a run took, and its cost
    */
  @annotation.tailrec
  def warm[A](before: Double, cost: Double, run: () => A)(taken: A => (Double, Double)): A = {
    val ran              = run()
    val (seconds, costs) = taken(ran)
    if (before >= Most || before >= Least && costs >= Settled * cost) ran
    else warm(before + seconds, costs, run)(taken)
  }
}
