package windrow.spark

import java.nio.file.{Files, Path}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, FieldVisitor, MethodVisitor, Opcodes}
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using
import windrow.spark.sinks.Sink
import windrow.spark.version.SparkVersion

/** Checks that all methods and fields of Spark and Hadoop that Windrow calls exist in the Spark version of the tests.
  * The code is compiled against the oldest supported version, so a missing one would only cause a `NoSuchMethodError`
  * in a query.
  */
final class LinkageSuite extends AnyFunSuite {
  import LinkageSuite._

  /** The classes that can be loaded with the tested version: of the classes that exist for two versions, one. */
  private val classes: Seq[Path] = {
    val root   = Path.of(classOf[Sink].getProtectionDomain.getCodeSource.getLocation.toURI)
    val copies = root.resolveSibling("../spark40").normalize
    val copied = classesIn(copies).map(file =>
      root.resolve("windrow/spark").resolve(copies.resolve("windrow/spark40").relativize(file)))
    assert(copied.nonEmpty && copied.forall(Files.exists(_)))
    val own = classesIn(root)
    if (SparkVersion.is40) own.filterNot(copied.toSet ++ own.filter(isSince41)) ++ classesIn(copies)
    else own.filterNot(isOf40)
  }

  test("every method and field of Spark's that the code names is there") {
    assert(classes.sizeIs > 100)
    val named = mutable.Set.empty[Named]
    classes.foreach(file => new ClassReader(Files.readAllBytes(file)).accept(new Names(named), 0))
    assert(named.count(_.owner.startsWith("org/apache/spark/sql/catalyst")) > 100)
    assert(named.exists(_.owner.endsWith("/EventTimeWatermarkExec")), "the classes that exist twice")
    assert(named.toSeq.filterNot(isThere).map(_.toString).sorted == Nil)
  }

  test("missing members are found") {
    val plan = "org/apache/spark/sql/catalyst/plans/logical/LogicalPlan"
    assert(isThere(Named(plan, "output", "()Lscala/collection/immutable/Seq;")))
    assert(!isThere(Named(plan, "output", "(I)Lscala/collection/immutable/Seq;")))
    assert(!isThere(Named(plan, "output", "()Lscala/collection/immutable/Seq;", isInterface = Some(true))))
    assert(!isThere(Named(plan + "Missing", "output", "()V")))
    assert(isThere(Named(plan, "", "")) && !isThere(Named(plan + "Missing", "", "")))
  }
}

private object LinkageSuite {
  private def classesIn(folder: Path): Seq[Path] =
    Files.walk(folder).iterator.asScala.filter(_.toString.endsWith(".class")).toSeq

  /** Whether a class is used only from Spark 4.1 on. */
  private def isSince41(file: Path): Boolean =
    file.getFileName.toString.matches("(SaveCommandsSince41|Spark41Calls)\\$?\\.class")

  private def isOf40(file: Path): Boolean = file.getFileName.toString.matches("SaveCommandsOf40\\$?\\.class")

  /** A reference to a method, a field, or a class.
    *
    * @param name
    *   empty for a class
    * @param descriptor
    *   empty for a field
    * @param isInterface
    *   whether the owner is called as an interface; None if it does not matter
    */
  final case class Named(owner: String, name: String, descriptor: String, isInterface: Option[Boolean] = None)

  private final class Names(found: mutable.Set[Named]) extends ClassVisitor(Opcodes.ASM9) {
    override def visitField(access: Int, name: String, of: String, signature: String, value: Any): FieldVisitor = null

    override def visitMethod(
        access: Int,
        name: String,
        of: String,
        signature: String,
        thrown: Array[String]): MethodVisitor =
      new MethodVisitor(Opcodes.ASM9) {
        override def visitMethodInsn(code: Int, owner: String, called: String, of: String, isInterface: Boolean): Unit =
          if (isTheirs(owner) && !isForwarder(called)) found += Named(owner, called, of, Some(isInterface))

        /** Whether the method only implements the called one of a trait. A Spark that lacks the method does not call it. */
        private def isForwarder(called: String): Boolean = called == name + "$" || name == "close" && called == name

        override def visitTypeInsn(code: Int, owner: String): Unit =
          if (isTheirs(owner)) found += Named(owner, "", "")

        override def visitFieldInsn(code: Int, owner: String, name: String, of: String): Unit =
          if (isTheirs(owner)) found += Named(owner, name, "")
      }
  }

  /** Whether a class belongs to Spark or Hadoop. Windrow's own classes in Spark's packages do not. */
  private def isTheirs(owner: String): Boolean =
    (owner.startsWith("org/apache/spark/") && !owner.startsWith("org/apache/spark/sql/windrow/")) ||
      owner.startsWith("org/apache/hadoop/")

  def isThere(named: Named): Boolean = {
    val owner = members(named.owner)
    if (named.name.isEmpty) owner.isThere
    else if (named.isInterface.exists(_ != owner.isInterface)) false
    else if (named.name == "<init>") owner.has(named) else owner.isThere && family(owner).exists(_.has(named))
  }

  /** The members of a class.
    *
    * @param names
    *   fields by their names, methods by their names and descriptors
    */
  private final case class Members(
      isThere: Boolean,
      isInterface: Boolean,
      names: Set[(String, String)],
      parents: Seq[String]) {
    def has(named: Named): Boolean = names.contains((named.name, named.descriptor))
  }

  private def family(of: Members): Seq[Members] = of +: of.parents.map(members).flatMap(family)

  private val read = mutable.Map.empty[String, Members]

  /** Reads a class file without loading it, because a signature may refer to missing classes. */
  private def members(owner: String): Members = read.getOrElseUpdate(
    owner,
    Using.Manager { use =>
      val in    = Option(ClassLoader.getSystemResourceAsStream(s"$owner.class"))
      val names = mutable.Set.empty[(String, String)]
      in.fold(Members(isThere = false, isInterface = false, Set.empty, Nil)) { stream =>
        val reader = new ClassReader(use(stream).readAllBytes())
        reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            override def visitField(access: Int, name: String, of: String, signature: String, value: Any)
                : FieldVisitor = {
              names += name -> ""
              null
            }
            override def visitMethod(access: Int, name: String, of: String, signature: String, thrown: Array[String])
                : MethodVisitor = {
              names += name -> of
              null
            }
          },
          ClassReader.SKIP_CODE)
        val isInterface = (reader.getAccess & Opcodes.ACC_INTERFACE) != 0
        Members(isThere = true, isInterface, names.toSet, Option(reader.getSuperName).toSeq ++ reader.getInterfaces)
      }
    }.get)
}
