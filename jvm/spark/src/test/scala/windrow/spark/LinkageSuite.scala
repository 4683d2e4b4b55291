package windrow.spark

import java.nio.file.{Files, Path}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, FieldVisitor, MethodVisitor, Opcodes}
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

/** Checks that all methods and fields of Spark and Hadoop that Windrow calls exist in the Spark version of the tests.
  * The code is compiled against the oldest supported version, so a missing one would only cause a `NoSuchMethodError`
  * in a query.
  */
final class LinkageSuite extends AnyFunSuite {
  import LinkageSuite._

  private val classes: Seq[Path] = {
    val root = Path.of(classOf[Sink].getProtectionDomain.getCodeSource.getLocation.toURI)
    Files.walk(root).iterator.asScala.filter(_.toString.endsWith(".class")).toSeq
  }

  test("every method and field of Spark's that the code names is there") {
    assert(classes.sizeIs > 100)
    val named = mutable.Set.empty[Named]
    classes.foreach(file => new ClassReader(Files.readAllBytes(file)).accept(new Names(named), 0))
    assert(named.count(_.owner.startsWith("org/apache/spark/sql/catalyst")) > 100)
    assert(named.toSeq.filterNot(isThere).map(_.toString).sorted == Nil)
  }

  test("missing members are found") {
    val plan = "org/apache/spark/sql/catalyst/plans/logical/LogicalPlan"
    assert(isThere(Named(plan, "output", "()Lscala/collection/immutable/Seq;")))
    assert(!isThere(Named(plan, "output", "(I)Lscala/collection/immutable/Seq;")))
    assert(!isThere(Named(plan, "output", "()Lscala/collection/immutable/Seq;", isInterface = Some(true))))
    assert(!isThere(Named(plan + "Missing", "output", "()V")))
  }
}

private object LinkageSuite {

  /** A reference to a method or field.
    *
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
        override def visitMethodInsn(code: Int, owner: String, name: String, of: String, isInterface: Boolean): Unit =
          if (isTheirs(owner)) found += Named(owner, name, of, Some(isInterface))

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
    if (named.isInterface.exists(_ != owner.isInterface)) false
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
