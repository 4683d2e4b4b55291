package windrow.spark.stream

import java.util.UUID
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, SessionWindow, TimeWindow}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LocalRelation}
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.CalendarInterval
import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.time.Distance

/** Tests the metadata of pane windows for Spark's own operators (SEMANTICS B2). */
final class PaneTimeSpec extends AnyFunSuite {
  private val time   = AttributeReference("time", TimestampType)()
  private val marked = EventTimeWatermark(UUID.randomUUID, time, new CalendarInterval(0, 0, 0), LocalRelation(time))

  private def found(window: Option[WindowKind]) = PaneTime.of(window, marked, Distance.none)

  test("`window_time` takes windows of time, inherited ones as well, and sessions") {
    for (window <- Seq(Tumbling("1 minute"), Inherit("window"), Session("1 minute"))) {
      assert(found(Some(window)).contains(TimeWindow.marker))
      assert(!found(Some(window)).contains(SessionWindow.marker), "Spark merges overlapping sessions of such a column")
    }
    assert(Seq(Some(Count(3)), None).forall(!found(_).contains(TimeWindow.marker)))
  }

  test("a watermark that no operator passes on is not theirs") {
    assert(!found(Some(Tumbling("1 minute"))).contains(EventTimeWatermark.delayKey))
  }
}
