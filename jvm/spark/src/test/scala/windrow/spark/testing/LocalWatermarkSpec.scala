package windrow.spark.testing

import java.util.UUID
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LocalRelation}
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.CalendarInterval
import org.scalatest.funsuite.AnyFunSuite

final class LocalWatermarkSpec extends AnyFunSuite {

  test("the greatest time minus the delay; a row without a time does not move it, and a restart resets it") {
    val time = AttributeReference("time", TimestampType)()
    val mark = new LocalWatermark(
      EventTimeWatermark(UUID.randomUUID, time, new CalendarInterval(0, 0, -5000000), LocalRelation(time)))
    def least = LocalWatermark.least(Seq(mark), 0)
    mark.see(InternalRow(null), 0)
    assert(least == 0)
    mark.see(InternalRow(20000000L), 0)
    mark.see(InternalRow(10000000L), 0)
    assert(least == 25000)
    mark.restart()
    assert(least == 0)
  }
}
