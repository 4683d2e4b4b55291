package windrow.benchmarks

/** When a process is warm: it has worked on the workload so long that what its JVM compiles is compiled. */
object Warmth {

  /** Seconds, most of which a fresh JVM compiles in. */
  val Least = 20.0

  /** Seconds after which a run is the last, whatever it has gained. */
  val Most = 90.0

  /** A process is not warm where a run costs less than so much of the one before. */
  val Settled = 0.95

  /** Runs until a process has worked enough before the last one, and that has gained next to nothing on the one before, which
    * was not the fresh one: other work on a machine makes now and then one run as dear as a fresh one.
    *
    * @param before
    *   seconds that the process has worked, fresh
    * @param taken
    *   seconds that a run took, and its cost
    */
  def warm[A](before: Double, run: () => A)(taken: A => (Double, Double)): A = {
    @annotation.tailrec
    def more(before: Double, cost: Double): A = {
      val ran              = run()
      val (seconds, costs) = taken(ran)
      if (before >= Most || before >= Least && costs >= Settled * cost) ran else more(before + seconds, costs)
    }
    more(before, Double.PositiveInfinity)
  }
}
