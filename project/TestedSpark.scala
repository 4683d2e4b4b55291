import sbt.*
import sbt.Keys.*

/** The Spark on which the JVM tests run: the JARs of PySpark, as users have them, or a version from Maven. */
object TestedSpark {

  /** The version in `-Dwindrow.spark=4.2.0`, or None for the Spark of PySpark. */
  val fromMaven: Option[String] = sys.props.get("windrow.spark").filter(_ != "package")

  /** @param compiled
    *   the test class path, with the Spark that the code is compiled against
    * @param tested
    *   the Spark that replaces it, with its dependencies
    * @param replaced
    *   organizations of the libraries that are replaced
    */
  def instead(compiled: Classpath, tested: Classpath, replaced: Set[String]): Classpath = {
    if (!tested.exists(_.data.getName.startsWith("spark-sql_")))
      sys.error("Spark was not found for the tests. Run scripts/bootstrap, which installs it in .venv.")
    val (ours, libraries) = compiled.filterNot(organization(_).exists(replaced)).partition(_.data.isDirectory)
    ours ++ tested ++ libraries // if a library is on the path twice, the version of the tested Spark wins
  }

  /** The JARs of PySpark in a virtual environment. */
  def ofPackage(venv: File): Classpath = Attributed.blankSeq(
    (venv / "lib" * "python3*").get().map(_ / "site-packages/pyspark/jars").flatMap(jars => (jars * "*.jar").get())
      .sortBy(_.getName))

  def organizations(path: Classpath): Set[String] = path.flatMap(organization(_)).toSet

  def organization(entry: Attributed[File]): Option[String] = entry.get(moduleID.key).map(_.organization)
}
