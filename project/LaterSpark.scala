import sbt.*
import sbt.Keys.*

/** Runs tests on another Spark than they were compiled with. */
object LaterSpark {

  /** @param compiled
    *   the test class path; every module of it that the later Spark also has is taken from there
    */
  def instead(compiled: Classpath, later: Classpath): Classpath = {
    val replaced = later.flatMap(module).toSet
    val kept     = compiled.filterNot(module(_).exists(replaced))
    val old      = kept.flatMap(module).filter(_._1 == "org.apache.spark")
    if (old.nonEmpty) sys.error(s"two Sparks on one class path: ${old.mkString(", ")}")
    kept ++ later
  }

  private def module(entry: Attributed[File]): Option[(String, String)] =
    entry.get(moduleID.key).map(id => (id.organization, id.name))
}
