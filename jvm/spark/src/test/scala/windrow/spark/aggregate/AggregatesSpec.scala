package windrow.spark.aggregate

import org.scalatest.funsuite.AnyFunSuite
import windrow._

final class AggregatesSpec extends AnyFunSuite {

  test("SEMANTICS B10: which row is a pane's is unclear where messages are windows and have no identity") {
    val over    = Aggregates(WindowOperatorDraft(Over.Rows(3), Some(TimeSpan.Zero)).checked)
    val minutes = Aggregates(WindowOperatorDraft(Tumbling("1 minute"), Some(TimeSpan.Zero)).checked)
    assert(over.unclearRow(hasOffsets = false) == Some("UPSERT_ROW_UNCLEAR.OVER"))
    assert(over.unclearRow(hasOffsets = true).isEmpty && minutes.unclearRow(hasOffsets = false).isEmpty)
  }
}
