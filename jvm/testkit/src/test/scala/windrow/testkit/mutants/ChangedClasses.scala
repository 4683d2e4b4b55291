package windrow.testkit.mutants

import java.net.{URL, URLClassLoader}
import java.nio.file.Path

/** Loads what is ours itself, all else as ever. */
final class ChangedClasses private (urls: Array[URL])
    extends URLClassLoader(urls, classOf[ChangedClasses].getClassLoader) {
  override def loadClass(name: String, resolve: Boolean): Class[_] = getClassLoadingLock(name).synchronized {
    if (ChangedClasses.isOurs(name)) Option(findLoadedClass(name)).getOrElse(findClass(name))
    else super.loadClass(name, resolve)
  }
}

object ChangedClasses {

  /** @param changed
    *   a folder before the others
    */
  def apply(folders: Seq[Path], changed: Path): ChangedClasses =
    new ChangedClasses((changed +: folders).map(_.toUri.toURL).toArray)

  private def isOurs(name: String): Boolean =
    (name.startsWith("windrow.") || name.startsWith("org.apache.spark.sql.windrow.")) && !isTools(name)

  /** What makes mutants is the same for all. */
  def isTools(name: String): Boolean = name.contains(".mutants.")
}
