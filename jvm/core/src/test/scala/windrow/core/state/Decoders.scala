package windrow.core.state

import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import windrow.CheckpointError

/** Finds the methods that read stored bytes in compiled classes, so that none can be forgotten. */
object Decoders {

  /** Returns the methods of all classes in the same place as a class. */
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

  /** Returns the methods that were reading when a value was rejected. */
  def refusing(look: => Any): Set[String] =
    try {
      look: Unit
      Set.empty
    } catch {
      case refused @ (_: DamagedStateError | _: CheckpointError) =>
        refused.getStackTrace.map(frame => named(frame.getClassName, frame.getMethodName)).toSet
    }

  /** Combines an object and its class, because the methods of an object are also in its class. */
  private def named(of: String, method: String): String = s"${of.stripSuffix("$")}.$method"
}
