package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Tests rows that are panes of another operator (SEMANTICS R55). */
final class PaneReaderSpec extends AnyFunSuite {
  private val columns =
    StructType.fromDDL("start bigint, `end` bigint, timing string, index bigint, is_retraction boolean, content int")
      .map(field => AttributeReference(field.name, field.dataType)())
  private val reader = new PaneReader(columns, columns)

  private def pane(timing: String, index: Long = 0, isRetraction: Boolean = false, start: Long = 5, end: Long = 10) =
    InternalRow(start, end, UTF8String.fromString(timing), index, isRetraction, 1)

  test("a window ends after it starts, and a timing is one") {
    assert(reader(pane("ON_TIME")).exists(one => one.start == 5 && one.end == 10 && !one.isRetraction))
    assert(reader(pane("ON_TIME", start = 10)).isEmpty && reader(pane("ON_TIME", start = 11)).isEmpty)
    assert(reader(pane("SOME")).isEmpty && reader(pane(null)).isEmpty)
  }

  test("panes stand by timing and index, a retraction after its pane") {
    val places = Seq(
      pane("EARLY"),
      pane("EARLY", isRetraction = true),
      pane("EARLY", 1),
      pane("ON_TIME", 1),
      pane("ON_TIME", 1, isRetraction = true),
      pane("LATE", 0)).map(reader.place)
    assert(places == places.distinct.sorted)
  }
}
