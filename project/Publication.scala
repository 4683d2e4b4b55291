import java.io.File
import sbt.*
import sbt.Keys.*

/** What the Maven registry shows of the library. */
object Publication {

  /** The address of the repository, which the Python package shows, too. Maven Central requires one. */
  private def repository(pyproject: File): Option[URL] = {
    val Line = """Repository = "(https:[^"]+)"""".r
    IO.readLines(pyproject).collectFirst { case Line(address) => url(address) }
  }

  val settings: Seq[Setting[?]] = Seq(
    description      := "Windows for Spark Structured Streaming: panes on time and late, nothing lost silently",
    organizationName := "Windrow",
    startYear        := Some(2026),
    versionScheme    := Some("early-semver"),
    homepage         := repository((ThisBuild / baseDirectory).value / "pyproject.toml"),
    scmInfo          := homepage.value.map(address => ScmInfo(address, s"scm:git:$address")),
    developers       := homepage.value.map(address => Developer("windrow", "The Windrow authors", "", address)).toList,
    publishTo        := localStaging.value,
    autoScalaLibrary := false, // Spark contains it
    libraryDependencies += "org.apache.spark" %% "spark-sql" % Versions.sparkCompile % Provided)
}
