package windrow.benchmarks

/** When a process is warm: it has worked on the workload as long as those of all contenders have. A rule by what runs still gain
  * stops by chance on a machine with other work, and soonest those whose code takes longest to compile.
  */
object Warmth {

  /** What a process has worked before the run that counts. */
  val Seconds = 60.0

  /** Runs until a process has worked enough before the last one.
    *
    * @param before
    *   seconds that the process has worked
    * @param taken
    *   seconds that a run took
    */
  @annotation.tailrec
  def warm[A](before: Double, run: () => A)(taken: A => Double): A = {
    val ran = run()
    if (before >= Seconds) ran else warm(before + taken(ran), run)(taken)
  }
}
