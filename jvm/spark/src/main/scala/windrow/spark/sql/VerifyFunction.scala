package windrow.spark.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Row, SparkSession}
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

  private val Columns = StructType(Seq(
    StructField("files", LongType, nullable = false),
    StructField("bytes", LongType, nullable = false),
    StructField("findings", ArrayType(FindingType, containsNull = false), nullable = false)))

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val named           = NamedConstants.naming("checkpoint", expressions)
    val (values, found) = NamedConstants.literals(named, Allowed)
    val path = one(values, "checkpoint", "a string") { case Literal(text: UTF8String, _: StringType) => text.toString }
    val deep = one(values, "deep", "true or false") { case Literal(is: Boolean, _) => is }
    val outputs = one(values, "outputs", "an array of strings")(folders)
    val missing = Option.unless(values.contains("checkpoint"))(SpecProblem("CHECKPOINT_MISSING"))
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

  private def one[T](values: Map[String, Literal], name: String, expected: String)(
      of: PartialFunction[Literal, T]): Either[SpecProblem, Option[T]] = values.get(name) match {
    case None => Right(None)
    case Some(value) => of.lift(value).map(Some(_)).toRight(
        SpecProblem("ARGUMENT_NOT_UNDERSTOOD", "name" -> name, "value" -> value.sql, "expected" -> expected))
  }

  private def answer(path: String, outputs: Seq[String], deep: Boolean): LogicalPlan = {
    val found = WholeCheckpoint.verify(SparkSession.active, path, outputs, deep)
    SparkInside.table(Columns, Seq(Row(found.files, found.bytes, found.findings.map(row))))
  }

  private def row(finding: Finding): Row =
    Row(finding.file, finding.batch.map(Long.box).orNull, finding.what, finding.remedy, finding.isDamage)
}
