/** All versions that the build uses. Tests run on the Spark of the Python package (pyproject.toml), whose JARs are in
  * .venv. `-Dwindrow.spark=4.2.0` runs the JVM tests on another version.
  */
object Versions {
  val scala            = "2.13.18"
  val scalaBinary      = "2.13"
  val sparkCompile     = "4.1.1"     // code that compiles against it runs on later versions
  val sparkLowest      = "4.0.2"     // the lowest supported version, which LinkageSuite checks
  val sparkMaven       = "4.2.0"     // the latest in the Maven registry, for the Kafka connector, which PySpark lacks
  val jackson          = "2.20.0"    // the version of Spark 4.1.1
  val rocksdb          = "9.8.4"     // the version of Spark 4.1.1
  val roaring          = "1.3.0"     // the version of Spark 4.1.1
  val kafka            = "4.2.0"     // the broker of the Kafka test
  val delta            = "4.4.0"     // for Spark 4.0 to 4.2, because no release for 4.3 exists yet
  val iceberg          = "1.12.0"    // for Spark 4.1
  val iceberg40        = "1.11.0"    // the latest for Spark 4.0
  val derby            = "10.16.1.1" // the version of Spark 4
  val postgresql       = "42.7.14"   // JDBC drivers for tests
  val mariadb          = "3.5.11"
  val sqlite           = "3.54.1.0"
  val hadoop           = "3.5.0"     // the version of Spark 4.3.0
  val aws              = "2.57.8"    // the SDK for S3
  val postgresqlServer = "18.1.0"    // database servers for tests
  val mariadbServer    = "11.4.5"
  val flink            = "2.3.0"     // a contender in the benchmarks
  val beam             = "2.73.0"
  val scalatest        = "3.2.19"
  val scalacheck       = "1.18.1"

  /** The latest release, whose Scala API later versions must keep; None before the first one. */
  val released: Option[String] = None

  /** The version of Windrow, from the file that the Python package reads, too. */
  def windrow(file: java.io.File): String = {
    val Line = """__version__ = "([^"]+)"""".r
    sbt.IO.readLines(file).collectFirst { case Line(version) => version }
      .getOrElse(sys.error(s"$file does not set __version__"))
  }
}
