package windrow.testkit.mutants

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{Callable, Executors, Future, TimeUnit, TimeoutException}
import scala.io.Source
import scala.util.control.NonFatal

/** Serves `scripts/mutants` with a compiler and a JVM that stay warm. A request is one line. An answer is a line that
  * begins with `=> `:
  *
  *   - `compile SOURCE FOLDER`: answers `compiled`, or the first error
  *   - `test FOLDER`: answers the first test that fails with the classes in the folder, or `nothing`. `test FOLDER few`
  *     omits the many random cases at the end, and `test FOLDER random` runs only the first random cases.
  *   - `suites FOLDER NAME...`: the same for these suites only
  */
object MutantServer {

  /** A limit in CPU seconds, so that other load on the machine does not use it up. */
  private val Seconds = 600L

  /** @param arguments
    *   a file with the class path to compile with. Windrow's own class folders on it are loaded again for each test.
    */
  def main(arguments: Array[String]): Unit = serve(arguments(0))(_ => PartialFunction.empty)

  /** @param more
    *   answers other requests, given Windrow's own class folders
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

  /** Runs tests with a limit. Ends the process if they exceed it, because they may never end. */
  def timed(tests: => Option[String]): String = {
    val thread = Executors.newSingleThreadExecutor()
    val coming = thread.submit((() => tests): Callable[Option[String]])
    val until  = cpu + Seconds
    try Iterator.continually(within(coming, until)).flatten.next().fold("nothing")(flat)
    catch { case NonFatal(wrong) => flat(Option(wrong.getCause).getOrElse(wrong).toString) }
    finally thread.shutdown()
  }

  /** Waits for up to a second. Returns None if the tests still run. */
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
