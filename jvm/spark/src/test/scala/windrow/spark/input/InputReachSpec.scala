package windrow.spark.input

import java.util.UUID
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.CalendarInterval
import org.scalatest.funsuite.AnyFunSuite

/** Tests when the input that holds back the watermark is known, which requires that each input has its own watermark
  * (SEMANTICS R87).
  */
final class InputReachSpec extends AnyFunSuite {

  private def marked(column: AttributeReference, child: LogicalPlan) =
    EventTimeWatermark(UUID.randomUUID, column, new CalendarInterval(0, 0, 1000000), child)

  private def times                              = Seq("time", "other").map(AttributeReference(_, TimestampType)())
  private def told(tables: LogicalPlan*): String = InputReach.ofAll(tables).map(_.fold('-')(_ => '+')).mkString

  test("each with one, all with one") {
    def one = {
      val columns = times
      marked(columns.head, LocalRelation(columns, isStreaming = true))
    }
    def two = {
      val columns = times
      val first   = marked(columns.head, LocalRelation(columns, isStreaming = true))
      val both    = marked(columns(1), Project(columns, first))
      Project(both.output.drop(1), both)
    }
    assert(told(one, one) == "++")
    assert(told(one, two) == "--" && told(one, LocalRelation(times, isStreaming = true)) == "--")
  }
}
