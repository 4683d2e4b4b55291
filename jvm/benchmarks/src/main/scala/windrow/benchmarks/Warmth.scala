package windrow.benchmarks

/** When a process is warm: it has worked on the workload so long that what its JVM compiles is compiled. */
object Warmth {

  /** Seconds of CPU, of which a fresh JVM takes some fifteen to compile. */
  val Least = 30.0

  /** Seconds of CPU after which a run is the last, whatever it has gained. */
  val Most = 120.0

  /** A process is not warm where a run costs less than so much of the one before. */
  val Settled = 0.95

  /** Runs until a process has worked enough before the last one, and that has gained next to nothing.
    *
    * @param fresh
    *   seconds that the run before took
    * @param seconds
    *   that a run took
    */
  def warm[A](fresh: Double, run: () => A)(seconds: A => Double): A = {
    @annotation.tailrec
    def after(worked: Double, last: Double): A = {
      val ran  = run()
      val took = seconds(ran)
      if (worked >= Most || worked >= Least && took >= Settled * last) ran else after(worked + took, took)
    }
    after(fresh, fresh)
  }
}
