/** Every version the build names, and nothing else. All tests run on the Spark of the Python package (pyproject.toml), whose
  * JARs are in .venv; `-Dwindrow.spark=4.2.0` runs those of the JVM on another one.
  */
object Versions {
  val scala        = "2.13.18"
  val scalaBinary  = "2.13"
  val sparkCompile = "4.1.1"   // the lowest supported: what compiles against it runs on the later ones
  val sparkMaven   = "4.2.0"   // the latest in the Maven registry, for what the package lacks: the connector of Kafka
  val jackson      = "2.20.0"  // Spark 4.1.1's
  val rocksdb      = "9.8.4"   // Spark 4.1.1's
  val roaring      = "1.3.0"   // Spark 4.1.1's
  val kafka        = "4.2.0"   // the broker of the Kafka test
  val delta        = "4.4.0"   // for Spark 4.2; there is none for 4.3 yet
  val iceberg      = "1.12.0"  // for Spark 4.1
  val postgresql   = "42.7.14" // drivers of the tests of Jdbc
  val mariadb      = "3.5.11"
  val sqlite       = "3.54.1.0"
  val flink        = "2.3.0"   // a peer of the benchmarks
  val scalatest    = "3.2.19"
  val scalacheck   = "1.18.1"

  /** The version of windrow: of the Python package, which reads the same file. */
  def windrow(file: java.io.File): String = {
    val Line = """__version__ = "([^"]+)"""".r
    sbt.IO.readLines(file).collectFirst { case Line(version) => version }
      .getOrElse(sys.error(s"$file has no line that sets __version__"))
  }
}
