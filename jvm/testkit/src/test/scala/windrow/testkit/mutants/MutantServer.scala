package windrow.testkit.mutants

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{Callable, Executors, Future, TimeUnit, TimeoutException}
import scala.io.Source
import scala.util.control.NonFatal

/** What `scripts/mutants` talks with: a compiler and a JVM that stay warm. A line asks, a line that begins with `=> `
  * answers:
  *
  *   - `compile SOURCE FOLDER`: compiled, or the first error
  *   - `test FOLDER`: what noticed the classes in it, `nothing` else; `test FOLDER few` without the many random cases in
  *     the end, `test FOLDER random` with no more than the first ones
  *   - `suites FOLDER NAME...`: what of these suites did
  */
object MutantServer {

  /** Of CPU, which a machine that is busy with other things does not use up. */
  private val Seconds = 600L

  /** @param arguments
    *   a file with the class path to compile with; our own class folders on it are those that tests load anew
    */
  def main(arguments: Array[String]): Unit = serve(arguments(0))(_ => PartialFunction.empty)

  /** @param more
    *   answers to other questions, with our own class folders
    */
  def serve(file: String)(more: Seq[Path] => PartialFunction[Seq[String], String]): Unit = {
    val classpath = Files.readString(Paths.get(file)).trim
    val compiler  = new MutantCompiler(classpath)
    val folders   = classpath.split(File.pathSeparator).toSeq.map(Paths.get(_)).filter(Files.isDirectory(_))
    val answers = more(folders).orElse[Seq[String], String] {
      case Seq("compile", source, folder) =>
        compiler.compile(Paths.get(source), Paths.get(folder)).fold("compiled")(flat)
      case "test" +: folder +: some => timed(new MutantTests(folders, Paths.get(folder)).firstFailure(some.headOption))
      case "suites" +: folder +: names => timed(new MutantTests(folders, Paths.get(folder)).failureOf(names))
      case other                       => s"what is $other?"
    }
    Source.stdin.getLines().foreach(line => answer(answers(line.split("\t").toSeq)))
  }

  private def answer(text: String): Unit = println(s"=> $text")

  private def flat(text: String): String = text.linesIterator.mkString(" ")

  /** Tests that never end take the process with them. */
  def timed(tests: => Option[String]): String = {
    val thread = Executors.newSingleThreadExecutor()
    val coming = thread.submit((() => tests): Callable[Option[String]])
    val until  = cpu + Seconds
    try Iterator.continually(within(coming, until)).flatten.next().fold("nothing")(flat)
    catch { case NonFatal(wrong) => flat(Option(wrong.getCause).getOrElse(wrong).toString) }
    finally thread.shutdown()
  }

  /** None: not yet. */
  private def within(coming: Future[Option[String]], until: Long): Option[Option[String]] =
    try Some(coming.get(1, TimeUnit.SECONDS))
    catch {
      case _: TimeoutException =>
        if (cpu > until) {
          answer(s"no end within $Seconds s")
          sys.runtime.halt(0)
        }
        None
    }

  private def cpu: Long = ManagementFactory.getOperatingSystemMXBean match {
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime / 1000000000L
    case _                                                => System.nanoTime / 1000000000L
  }
}
