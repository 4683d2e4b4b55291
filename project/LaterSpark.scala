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
    compiled.filterNot(organization(_).exists(replaced)) ++ later
  }

  def organization(entry: Attributed[File]): Option[String] = entry.get(moduleID.key).map(_.organization)
}
