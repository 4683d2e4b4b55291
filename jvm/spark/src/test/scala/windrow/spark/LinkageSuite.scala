package windrow.spark

import java.io.{File, InputStream}
import java.net.URLClassLoader
import java.nio.file.{Files, Path}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, FieldVisitor, MethodVisitor, Opcodes}
import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using
import windrow.spark.sinks.Sink
import windrow.spark.version.SparkVersion

/** Checks that all methods and fields of Spark and Hadoop that Windrow calls exist in the Spark version of the tests, and
  * those of Spark in the lowest supported version. The code is compiled against another version, so a missing one would
  * only cause a `NoSuchMethodError` in a query.
  */
final class LinkageSuite extends AnyFunSuite {
  import LinkageSuite._

  /** The classes that can be loaded with a version: of the classes that exist for two versions, one. */
  private def classes(is40: Boolean): Seq[Path] = {
    val root   = Path.of(classOf[Sink].getProtectionDomain.getCodeSource.getLocation.toURI)
    val copies = root.resolveSibling("../spark40").normalize
    val copied = classesIn(copies).map(file =>
      root.resolve("windrow/spark").resolve(copies.resolve("windrow/spark40").relativize(file)))
    assert(copied.nonEmpty && copied.forall(Files.exists(_)))
    val own = classesIn(root)
    if (is40) own.filterNot(copied.toSet ++ own.filter(isSince41)) ++ classesIn(copies)
    else own.filterNot(isOf40)
  }

  /** Returns the members that a version of Spark lacks. */
  private def missing(is40: Boolean, library: Library): Seq[String] = {
    val named = mutable.Set.empty[Named]
    classes(is40).foreach(file => new ClassReader(Files.readAllBytes(file)).accept(new Names(named), 0))
    assert(named.count(_.owner.startsWith("org/apache/spark/sql/catalyst")) > 100)
    assert(named.exists(_.owner.endsWith("/EventTimeWatermarkExec")), "the classes that exist twice")
    named.toSeq.filterNot(library.isThere).map(_.toString).sorted
  }

  test("every method and field of Spark's that the code names is there") {
    assert(classes(SparkVersion.is40).sizeIs > 100)
    assert(missing(SparkVersion.is40, Tested) == Nil)
  }

  test("the lowest supported version has every method and field of Spark's") {
    val jars = sys.props("windrow.lowestSpark").split(File.pathSeparator).map(new File(_).toURI.toURL)
    Using.resource(new URLClassLoader(jars, null)) { loader =>
      val lowest = new Library(name =>
        if (name.startsWith("org/apache/spark/")) Option(loader.getResourceAsStream(name)) else Tested.open(name))
      assert(missing(is40 = true, lowest) == Nil)
      val add = "org/apache/spark/sql/catalyst/expressions/Add$"
      val of  = "()Lorg/apache/spark/sql/catalyst/expressions/NumericEvalContext;"
      assert(!lowest.isThere(Named(add, "apply$default$3", of)), "a member of later versions")
    }
  }

  test("missing members are found") {
    import Tested.isThere
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

  /** A version of Spark.
    *
    * @param open
    *   opens a class file by its name
    */
  private class Library(val open: String => Option[InputStream]) {
    def isThere(named: Named): Boolean = {
      val owner = members(named.owner)
      if (named.name.isEmpty) owner.isThere
      else if (named.isInterface.exists(_ != owner.isInterface)) false
      else if (named.name == "<init>") owner.has(named) else owner.isThere && family(owner).exists(_.has(named))
    }

    private def family(of: Members): Seq[Members] = of +: of.parents.map(members).flatMap(family)

    private val read = mutable.Map.empty[String, Members]

    /** Reads a class file without loading it, because a signature may refer to missing classes. */
    private def members(owner: String): Members = read.getOrElseUpdate(
      owner,
      Using.Manager { use =>
        val in    = open(s"$owner.class")
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

  /** The version of the tests. */
  private object Tested extends Library(name => Option(ClassLoader.getSystemResourceAsStream(name)))
}
