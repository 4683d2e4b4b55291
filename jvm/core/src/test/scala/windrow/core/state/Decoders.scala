package windrow.core.state

import java.lang.reflect.Modifier
import java.nio.file.Files
import java.nio.file.Path
import scala.jdk.CollectionConverters._
import windrow.CheckpointError

/** Methods that read stored bytes, as they are found in compiled classes: none can be forgotten. */
object Decoders {

  /** Those beside a class. */
  def of(one: Class[_]): Set[String] = {
    val root  = Path.of(one.getProtectionDomain.getCodeSource.getLocation.toURI)
    val files = Files.walk(root).iterator.asScala.map(root.relativize(_).toString).filter(_.endsWith(".class"))
    files.map(file => Class.forName(file.dropRight(6).replace('/', '.'), false, one.getClassLoader)).flatMap { found =>
      found.getDeclaredMethods.iterator.filter { method =>
        method.getParameterTypes.contains(classOf[ByteReader]) && !Modifier.isAbstract(method.getModifiers) &&
        !method.getName.contains("$anonfun")
      }.map(method => named(found.getName, method.getName))
    }.toSet
  }

  /** Those that were reading when a value was refused. */
  def refusing(look: => Any): Set[String] =
    try {
      look: Unit
      Set.empty
    } catch {
      case refused @ (_: DamagedStateError | _: CheckpointError) =>
        refused.getStackTrace.map(frame => named(frame.getClassName, frame.getMethodName)).toSet
    }

  /** An object has its methods in its class, too. */
  private def named(of: String, method: String): String = s"${of.stripSuffix("$")}.$method"
}
