import sbt.*
import sbt.Keys.*

/** The Spark on which the JVM tests run: the JARs of the Python package, which users have, or a version from Maven. */
object TestedSpark {

  /** The version that `-Dwindrow.spark=4.2.0` names. None: the package's. */
  val fromMaven: Option[String] = sys.props.get("windrow.spark").filter(_ != "package")

  /** @param compiled
    *   the test class path, with the Spark that the code is compiled against
    * @param tested
    *   the Spark that takes its place, with all that it needs
    * @param replaced
    *   organisations of the Spark that leaves
    */
  def instead(compiled: Classpath, tested: Classpath, replaced: Set[String]): Classpath = {
    if (!tested.exists(_.data.getName.startsWith("spark-sql_")))
      sys.error("there is no Spark to run the tests on; scripts/bootstrap installs the one of .venv")
    val (ours, libraries) = compiled.filterNot(organization(_).exists(replaced)).partition(_.data.isDirectory)
    ours ++ tested ++ libraries // of a library that is on the path twice the tested Spark's version counts
  }

  /** The JARs of PySpark in a virtual environment. */
  def ofPackage(venv: File): Classpath = Attributed.blankSeq(
    (venv / "lib" * "python3*").get().map(_ / "site-packages/pyspark/jars").flatMap(jars => (jars * "*.jar").get())
      .sortBy(_.getName))

  def organizations(path: Classpath): Set[String] = path.flatMap(organization(_)).toSet

  def organization(entry: Attributed[File]): Option[String] = entry.get(moduleID.key).map(_.organization)
}
