package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, Project}
import org.apache.spark.sql.types.{BinaryType, LongType}
import org.scalatest.funsuite.AnyFunSuite

final class OutputPartSpec extends AnyFunSuite {

  test("where all outputs are asked for, a condition on one kind of rows is none on the others") {
    def part(kind: OutputKind, number: Int) =
      OutputPart(kind, number, Seq(LongType))(columns => Seq(Alias(columns.head, "value")()))
    val rows = part(OutputKind.Rows, 1)
    val parts = Seq(
      rows.copy(condition = Some(GreaterThan(rows.rows.head.columns.head, Literal(5L)))),
      part(OutputKind.Rejected, 2))
    val packets                              = LocalRelation(AttributeReference("packet", BinaryType)())
    val Project(_, Filter(condition, below)) = OutputPart.shown("o", parts, OutputKind.All, packets): @unchecked
    def isShown(number: Int, value: Any) =
      BindReferences.bindReference(condition, below.output).eval(InternalRow(number, value, value))
    assert(isShown(1, 6L) == true && isShown(1, 5L) == false)
    assert(isShown(2, 5L) == true && isShown(2, null) == true)
  }
}
