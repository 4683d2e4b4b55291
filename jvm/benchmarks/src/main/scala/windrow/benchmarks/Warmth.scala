package windrow.benchmarks

/** Decides when a process is warm: after it has worked on the workload for as long as those of all other contenders. A
  * rule based on the gain of recent runs would stop by chance on a machine with other load, and soonest for contenders
  * whose code takes longest to compile.
  */
object Warmth {

  /** The seconds that a process must have worked before the run that counts. */
  val Seconds = 60.0

  /** Repeats runs until a process has worked long enough before the last one.
    *
    * @param before
    *   seconds that the process has worked
    * @param taken
    *   returns the seconds that a run took
    */
  @annotation.tailrec
  def warm[A](before: Double, run: () => A)(taken: A => Double): A = {
    val ran = run()
    if (before >= Seconds) ran else warm(before + taken(ran), run)(taken)
  }
}
