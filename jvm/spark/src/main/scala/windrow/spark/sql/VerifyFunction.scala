package windrow.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.spark.arguments.NamedConstants
import windrow.spark.query.WholeCheckpoint
import windrow.spark.verify.Finding
import windrow.{SpecError, SpecProblem}

/** Plans `windrow_verify('path', outputs => array('…'), deep => true)`. Returns one row, with the number of files and
  * bytes and the findings.
  */
private[spark] object VerifyFunction {
  val Name            = "windrow_verify"
  private val Allowed = Seq("checkpoint", "outputs", "deep")

  private val FindingType =
    StructType.fromDDL("file string, batch bigint, what string, remedy string, is_damage boolean")

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val named = NamedConstants.naming("checkpoint", expressions)
    val (said, found) = NamedConstants.read(named, Allowed)(Some(_))((name, value) =>
      SpecProblem("ARGUMENT_NOT_CONSTANT.PLAIN", "value" -> s"$name => $value"))
    val path    = one(said, "checkpoint", "a string") { case Literal(text: UTF8String, _: StringType) => text.toString }
    val deep    = one(said, "deep", "true or false") { case Literal(is: Boolean, _) => is }
    val outputs = one(said, "outputs", "an array of strings")(folders)
    val missing = Option.unless(said.contains("checkpoint"))(SpecProblem("CHECKPOINT_MISSING"))
    val wrong   = found ++ Seq(path, deep, outputs).flatMap(_.left.toOption) ++ missing
    if (wrong.nonEmpty) throw SpecError(Name, wrong)
    answer(path.toOption.flatten.get, outputs.toOption.flatten.getOrElse(Nil), deep.toOption.flatten.getOrElse(false))
  }

  private val folders: PartialFunction[Literal, Seq[String]] = {
    case Literal(text: UTF8String, _: StringType) => Seq(text.toString)
    case Literal(several: ArrayData, ArrayType(_: StringType, _))
        if (0 until several.numElements()).forall(!several.isNullAt(_)) =>
      several.toSeq[UTF8String](StringType).map(_.toString)
  }

  private def one[T](said: Map[String, Literal], name: String, expected: String)(
      of: PartialFunction[Literal, T]): Either[SpecProblem, Option[T]] = said.get(name) match {
    case None => Right(None)
    case Some(value) => of.lift(value).map(Some(_)).toRight(
        SpecProblem("ARGUMENT_NOT_UNDERSTOOD", "name" -> name, "value" -> value.sql, "expected" -> expected))
  }

  private def answer(path: String, outputs: Seq[String], deep: Boolean): LogicalPlan = {
    val found = WholeCheckpoint.verify(SparkSession.active, path, outputs, deep)
    LocalRelation(
      Seq(
        AttributeReference("files", LongType, nullable = false)(),
        AttributeReference("bytes", LongType, nullable = false)(),
        AttributeReference("findings", ArrayType(FindingType, containsNull = false), nullable = false)()),
      Seq(InternalRow(found.files, found.bytes, new GenericArrayData(found.findings.map(row)))))
  }

  private def row(finding: Finding): InternalRow = InternalRow(
    UTF8String.fromString(finding.file),
    finding.batch.map(Long.box).orNull,
    UTF8String.fromString(finding.what),
    UTF8String.fromString(finding.remedy),
    finding.isDamage)
}
