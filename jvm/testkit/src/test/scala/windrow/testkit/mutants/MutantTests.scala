package windrow.testkit.mutants

import java.io.File
import java.lang.reflect.Modifier
import java.net.{URL, URLClassLoader}
import java.nio.file.{Files, Path}
import org.scalatest.{Args, Reporter, Stopper, Suite}
import org.scalatest.events.{SuiteAborted, TestFailed}
import scala.jdk.CollectionConverters._

/** The tests of core and testkit, on a core of which some classes are others. The first that fails ends them.
  *
  * @param folders
  *   of classes: ours, which each mutant loads anew
  * @param changed
  *   a folder with the classes that take the place of others
  */
private[mutants] final class MutantTests(folders: Seq[Path], changed: Path) {
  import MutantTests._

  private val loader = new ChangedClasses((changed +: folders).map(_.toUri.toURL).toArray)

  /** What noticed the mutant; None: nothing did. */
  def firstFailure(): Option[String] = {
    Thread.currentThread.setContextClassLoader(loader)
    try differing(SomeRounds).orElse(suites.flatMap(failing).nextOption()).orElse(differing(ManyRounds))
    finally loader.close()
  }

  private def differing(rounds: Int): Option[String] = {
    val cases = loader.loadClass("windrow.testkit.FirstDifference")
    Option(cases.getMethod("find", Integer.TYPE).invoke(null, Int.box(rounds)).asInstanceOf[String])
  }

  /** Without those that try cases as [[differing]] does. */
  private def suites: Iterator[Class[_]] = {
    val names = folders.filter(_.endsWith("test-classes")).flatMap { folder =>
      val files = Files.walk(folder).iterator.asScala.map(folder.relativize(_).toString)
      files.filter(file => file.endsWith(".class") && !file.contains("$"))
        .map(_.stripSuffix(".class").replace(File.separatorChar, '.')).toSeq.sorted
    }
    val all = names.iterator.filterNot(_.startsWith(Own)).map(loader.loadClass)
    all.filter(one =>
      classOf[Suite].isAssignableFrom(one) && !Modifier.isAbstract(one.getModifiers) &&
        !loader.loadClass("windrow.testkit.VersusReference").isAssignableFrom(one))
  }

  private def failing(of: Class[_]): Option[String] = {
    var failed  = Option.empty[String]
    val stopper = Stopper.default
    val report: Reporter = {
      case event: TestFailed =>
        failed = failed.orElse(Some(s"${of.getSimpleName}: ${event.testName}"))
        stopper.requestStop()
      case _: SuiteAborted => failed = failed.orElse(Some(s"${of.getSimpleName} aborted"))
      case _               => ()
    }
    try of.getDeclaredConstructor().newInstance().asInstanceOf[Suite].run(None, Args(report, stopper))
    catch { case wrong: Exception => failed = failed.orElse(Some(s"${of.getSimpleName}: $wrong")) }
    failed
  }
}

private[mutants] object MutantTests {
  val SomeRounds = 100
  val ManyRounds = 2000
  val Own        = "windrow.testkit.mutants."

  /** Loads what is ours itself, all else as ever. */
  final class ChangedClasses(urls: Array[URL]) extends URLClassLoader(urls, getClass.getClassLoader) {
    override def loadClass(name: String, resolve: Boolean): Class[_] = getClassLoadingLock(name).synchronized {
      if (name.startsWith("windrow.") && !name.startsWith(Own))
        Option(findLoadedClass(name)).getOrElse(findClass(name))
      else super.loadClass(name, resolve)
    }
  }
}
