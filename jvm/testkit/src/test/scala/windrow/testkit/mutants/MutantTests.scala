package windrow.testkit.mutants

import java.io.File
import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}
import org.scalatest.events.{SuiteAborted, TestFailed}
import org.scalatest.{Args, Reporter, Stopper, Suite}
import scala.jdk.CollectionConverters._

/** Runs tests on classes of which some are replaced, up to the first failure.
  *
  * @param folders
  *   Windrow's own class folders, loaded again for each mutant
  * @param changed
  *   a folder with the replacement classes
  */
final class MutantTests(folders: Seq[Path], changed: Path) {
  import MutantTests._

  private val loader = ChangedClasses(folders, changed)

  /** Returns the first failure of the random cases and suites of core and testkit, or None.
    *
    * @param some
    *   `random` for the first random cases alone, `few` to omit the many random cases at the end
    */
  def firstFailure(some: Option[String]): Option[String] = loading {
    val suites = if (some.contains("random")) Iterator.empty else coresSuites
    differing(SomeRounds).orElse(suites.flatMap(failing(_, None)).nextOption())
      .orElse(if (some.isEmpty) differing(ManyRounds) else None)
  }

  /** Returns the first failure of some suites, given as `Suite` or `Suite::part of the name of a test`. Without names,
    * runs all suites of the first folder.
    */
  def failureOf(names: Seq[String]): Option[String] = loading {
    val tests = folders.filter(_.endsWith(Tests))
    val all   = suitesIn(if (names.isEmpty) tests.take(1) else tests).toSeq
    val asked = if (names.isEmpty) all.iterator.map(_ -> None) else names.iterator.map(named(all, _))
    asked.flatMap { case (suite, test) => failing(suite, test) }.nextOption()
  }

  private def loading(tests: => Option[String]): Option[String] = {
    Thread.currentThread.setContextClassLoader(loader)
    try tests
    finally loader.close()
  }

  private def named(all: Seq[Class[_]], name: String): (Class[_], Option[String]) = {
    val Array(suite, test @ _*) = name.split("::", 2): @unchecked
    all.find(_.getSimpleName == suite).getOrElse(throw new NoSuchElementException(s"a suite $suite")) -> test.headOption
  }

  private def differing(rounds: Int): Option[String] = {
    val cases = loader.loadClass("windrow.testkit.FirstDifference")
    Option(cases.getMethod("find", Integer.TYPE).invoke(null, Int.box(rounds)).asInstanceOf[String])
  }

  /** The suites of the core, without those that run random cases as [[differing]] does. */
  private def coresSuites: Iterator[Class[_]] = suitesIn(folders.filter(_.endsWith(Tests)))
    .filterNot(loader.loadClass("windrow.testkit.VersusReference").isAssignableFrom(_))

  private def suitesIn(some: Seq[Path]): Iterator[Class[_]] = {
    val names = some.flatMap { folder =>
      val files = Files.walk(folder).iterator.asScala.map(folder.relativize(_).toString)
      files.filter(file => file.endsWith(".class") && !file.contains("$"))
        .map(_.stripSuffix(".class").replace(File.separatorChar, '.')).toSeq.sorted
    }
    names.iterator.filterNot(ChangedClasses.isTools).map(loader.loadClass)
      .filter(one => classOf[Suite].isAssignableFrom(one) && !Modifier.isAbstract(one.getModifiers))
  }

  /** @param part
    *   a part of the names of the tests to run, or None for all tests
    */
  private def failing(of: Class[_], part: Option[String]): Option[String] = {
    var failed  = Option.empty[String]
    val stopper = Stopper.default
    val report: Reporter = {
      case event: TestFailed =>
        failed = failed.orElse(Some(s"${of.getSimpleName}: ${event.testName}"))
        stopper.requestStop()
      case _: SuiteAborted => failed = failed.orElse(Some(s"${of.getSimpleName} aborted"))
      case _               => ()
    }
    try {
      val suite = of.getDeclaredConstructor().newInstance().asInstanceOf[Suite]
      val tests =
        part.fold(Seq(Option.empty[String]))(some => suite.testNames.toSeq.filter(_.contains(some)).map(Some(_)))
      if (tests.isEmpty) throw new NoSuchElementException(s"a test of ${of.getSimpleName} called ${part.mkString}")
      tests.foreach(test => suite.run(test, Args(report, stopper)))
    } catch {
      case none: NoSuchElementException => throw none
      case wrong: Exception             => failed = failed.orElse(Some(s"${of.getSimpleName}: $wrong"))
    }
    failed
  }
}

private object MutantTests {
  val SomeRounds = 100
  val ManyRounds = 2000
  val Tests      = "test-classes"
}
