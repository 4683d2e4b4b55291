package windrow.spark.panes

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow.Inherit
import windrow.spark.SparkSuite

final class IncomingPanesSuite extends SparkSuite {
  private val Window = "struct<start: timestamp, `end`: timestamp>"
  private val Pane   = "struct<timing: string, index: bigint, is_retraction: boolean>"

  private def table(window: String = Window, pane: String = Pane) =
    SparkInside.plan(
      spark.createDataFrame(java.util.List.of[Row](), StructType.fromDDL(s"window $window, pane $pane, sold bigint")))

  private def codes(window: String = Window, pane: String = Pane): Seq[String] =
    IncomingPanes.of(spark, Inherit("window"), "window", table(window, pane), Nil).left.getOrElse(Nil).map(_.code)

  test("SEMANTICS R55: a pane has fields of these types") {
    assert(codes().isEmpty)
    assert(codes(pane = Pane.replace("bigint", "int")) == Seq("PANE_COLUMN_STRANGE"))
    assert(codes(window = "struct<start: timestamp, `end`: string>") == Seq("PANE_COLUMN_STRANGE"))
    assert(codes("string", "string").size == 2)
  }

  test("SEMANTICS B2: a pane has the time of the last instant in its window") {
    val plan = table()
    val time = BindReferences.bindReference(IncomingPanes.lastInstant(spark, plan).get, plan.output)
    assert(time.eval(InternalRow(InternalRow(60000000L, 120000000L), null, 1L)) == 119999999L)
    assert(IncomingPanes.lastInstant(spark, table(pane = "string")).isEmpty)
  }
}
