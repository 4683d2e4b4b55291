import sbt.*
import sbt.Keys.*

/** Runs tests on another Spark than they were compiled with. */
object LaterSpark {

  /** @param compiled
    *   the test class path; modules of every organisation that the later Spark draws on are taken from there
    */
  def instead(compiled: Classpath, later: Classpath): Classpath = {
    val replaced = later.flatMap(organization).toSet
    if (!replaced("org.apache.spark")) sys.error("the later Spark is not there: the tests would run without one")
    val (ours, libraries) = compiled.filterNot(organization(_).exists(replaced)).partition(_.data.isDirectory)
    ours ++ later ++ libraries // a library that moved to another organisation is on it twice: the later one counts
  }

  def organization(entry: Attributed[File]): Option[String] = entry.get(moduleID.key).map(_.organization)
}
