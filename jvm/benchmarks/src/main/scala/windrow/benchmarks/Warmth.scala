package windrow.benchmarks

/** When a process is warm: it has worked on the workload so long that what its JVM compiles is compiled. */
object Warmth {

  /** Seconds of CPU, of which a fresh JVM takes some fifteen to compile. */
  val Enough = 30.0

  /** Runs until a process has worked enough before the last one, and at least once.
    *
    * @param worked
    *   seconds that the runs before took
    * @param seconds
    *   that a run took
    */
  @annotation.tailrec
  def warm[A](worked: Double, run: () => A)(seconds: A => Double): A = {
    val ran = run()
    if (worked >= Enough) ran else warm(worked + seconds(ran), run)(seconds)
  }
}
