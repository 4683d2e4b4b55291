package windrow.testkit.mutants

import java.nio.file.{Files, Path}
import scala.reflect.internal.util.{BatchSourceFile, Position}
import scala.tools.nsc.reporters.StoreReporter
import scala.tools.nsc.{Global, Settings}

/** Compiles one changed file against the classes of all others.
  *
  * @param classpath
  *   the class path of these classes and their dependencies
  */
private[mutants] final class MutantCompiler(classpath: String) {

  /** @param to
    *   an empty folder for the class files
    * @return
    *   the first error
    */
  def compile(source: Path, to: Path): Option[String] = {
    val settings = new Settings
    settings.classpath.value = classpath
    settings.outputDirs.setSingleOutput(to.toString)
    val reporter = new StoreReporter(settings)
    val compiler = new Global(settings, reporter)
    new compiler.Run().compileSources(
      List(new BatchSourceFile(source.getFileName.toString, Files.readString(source).toSeq)))
    reporter.infos.collectFirst { case info if info.severity == reporter.ERROR => s"${line(info.pos)}: ${info.msg}" }
  }

  private def line(position: Position): String = if (position.isDefined) position.line.toString else "?"
}
