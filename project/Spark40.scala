import org.objectweb.asm.commons.{ClassRemapper, Remapper}
import org.objectweb.asm.{AnnotationVisitor, ClassReader, ClassVisitor, ClassWriter, Opcodes}
import sbt.*

/** Copies the classes that name classes of Spark which Spark 4.0 has in another package, so that one JAR works with all
  * versions. The copies are in `windrow.spark40`, and `windrow.spark.version.SparkVersion` selects them.
  */
object Spark40 {

  /** The classes to copy, with their inner classes. `LinkageSuite` fails on Spark 4.0 if one is missing. */
  private val copied = Seq(
    "running/AtomicTextFile",
    "running/CheckpointFiles",
    "running/LocalFiles",
    "testing/StreamedSources",
    "watermark/FusedWatermarkExec",
    "watermark/InputTimes").map(name => s"windrow/spark/$name")

  private val streaming = "org/apache/spark/sql/execution/streaming/"

  /** The packages of Spark 4.1 and later whose classes are in `streaming` itself in Spark 4.0. */
  private val moved = Seq("checkpointing/", "operators/stateful/", "runtime/").map(streaming + _)

  /** Writes the copies.
    *
    * @param classes
    *   the folder of the compiled classes
    * @return
    *   the folder of the copies
    */
  def write(classes: File, folder: File): File = {
    IO.delete(folder)
    val files = Path.allSubpaths(classes).filter { case (_, path) =>
      path.endsWith(".class") && isCopied(path.dropRight(6))
    }
    files.foreach { case (file, path) => IO.write(folder / renamed(path), copy(IO.readBytes(file))) }
    if (files.size < copied.size) sys.error(s"A class is missing in $classes: ${copied.mkString(", ")}")
    folder
  }

  private def isCopied(name: String): Boolean = copied.exists(one => name == one || name.startsWith(one + "$"))

  private def renamed(name: String): String = name.replaceFirst("^windrow/spark/", "windrow/spark40/")

  private def copy(bytes: Array[Byte]): Array[Byte] = {
    val writer = new ClassWriter(0)
    new ClassReader(bytes).accept(new ClassRemapper(new WithoutSignature(writer), Names), 0)
    writer.toByteArray
  }

  private object Names extends Remapper {
    override def map(name: String): String =
      if (isCopied(name)) renamed(name)
      else moved.find(name.startsWith).fold(name)(from => streaming + name.drop(from.length))
  }

  /** Leaves out Scala's description of a class, which would still contain the former names. */
  private final class WithoutSignature(next: ClassVisitor) extends ClassVisitor(Opcodes.ASM9, next) {
    override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
      if (descriptor.startsWith("Lscala/reflect/Scala")) null else super.visitAnnotation(descriptor, visible)
  }
}
