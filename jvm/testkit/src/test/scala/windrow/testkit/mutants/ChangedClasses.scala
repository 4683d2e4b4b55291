package windrow.testkit.mutants

import java.net.{URL, URLClassLoader}
import java.nio.file.Path

/** A class loader that loads the classes of Windrow itself, and delegates for all others. */
final class ChangedClasses private (urls: Array[URL])
    extends URLClassLoader(urls, classOf[ChangedClasses].getClassLoader) {
  override def loadClass(name: String, resolve: Boolean): Class[_] = getClassLoadingLock(name).synchronized {
    if (ChangedClasses.isOurs(name)) Option(findLoadedClass(name)).getOrElse(findClass(name))
    else super.loadClass(name, resolve)
  }
}

object ChangedClasses {

  /** @param changed
    *   a folder that is searched before the others
    */
  def apply(folders: Seq[Path], changed: Path): ChangedClasses =
    new ChangedClasses((changed +: folders).map(_.toUri.toURL).toArray)

  private def isOurs(name: String): Boolean =
    (name.startsWith("windrow.") || name.startsWith("org.apache.spark.sql.windrow.")) && !isTools(name)

  /** Whether a class belongs to the mutation tools. These are shared, not loaded for each mutant. */
  def isTools(name: String): Boolean = name.contains(".mutants.")
}
