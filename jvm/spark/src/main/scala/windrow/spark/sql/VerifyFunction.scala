package windrow.spark.sql

import java.util.Locale
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.query.WholeCheckpoint
import windrow.spark.verify.Finding

/** `windrow_verify('path', outputs => array('…'), deep => true)`: one row, with how much was read and what is wrong. */
private[spark] object VerifyFunction {
  val Name            = "windrow_verify"
  private val Allowed = Seq("checkpoint", "outputs", "deep")

  private val FindingType =
    StructType.fromDDL("file string, batch bigint, what string, remedy string, is_damage boolean")

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val said = expressions.zipWithIndex.map {
      case (NamedArgumentExpression(name, value), _) if Allowed.contains(name.toLowerCase(Locale.ROOT)) =>
        name.toLowerCase(Locale.ROOT) -> constant(value)
      case (value, 0) if !value.isInstanceOf[NamedArgumentExpression] => "checkpoint" -> constant(value)
      case (value, _) =>
        throw wrong("ARGUMENT_UNKNOWN", "name" -> value.sql, "allowed" -> Allowed.mkString(", "))
    }.toMap
    val path = said.getOrElse("checkpoint", throw wrong("CHECKPOINT_MISSING"))
    val outputs = said.get("outputs").toSeq.flatMap {
      case array: ArrayData => array.toSeq[UTF8String](StringType).map(_.toString)
      case other            => Seq(other.toString)
    }
    answer(path.toString, outputs, said.get("deep").contains(true))
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

  private def constant(value: Expression): Any =
    if (value.foldable) value.eval()
    else throw wrong("ARGUMENT_NOT_CONSTANT.PLAIN", "value" -> value.sql)

  private def wrong(condition: String, parameters: (String, Any)*): SpecError =
    SpecError(Name, Seq(SpecProblem(condition, parameters: _*)))
}
