package windrow.spark.pack

import java.util.Arrays
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.operator.Origin
import windrow.spark.packet.MessageOrder

/** Tests that the bytes of places compare in the order of rows (SEMANTICS T2). */
final class MessageOrderSpec extends AnyFunSuite {
  private val nothing = UnsafeRow.createFromByteArray(8, 0)

  private def ascend(places: Array[Byte]*): Unit =
    places.zip(places.drop(1)).foreach { case (a, b) => assert(Arrays.compareUnsigned(a, b) < 0) }

  test("by time, before 1970 too, then source, partition, offset") {
    def place(time: Long, source: String, partition: Long, offset: Long) =
      MessageOrder(Some(time), Some(Origin(source, partition, offset)), nothing)
    ascend(
      MessageOrder(None, Some(Origin("z", 9, 9)), nothing),
      place(-2, "b", 1, 1),
      place(-1, "a", 0, 0),
      place(1, "a", 1, 7),
      place(1, "a", 2, 3),
      place(1, "a", 2, 4),
      place(1, "b", 0, 0))
  }

  test("on the axis of positions the time is compared last") {
    def place(time: Long, offset: Long) =
      MessageOrder(Some(time), Some(Origin("a", 0, offset)), nothing, byPosition = true)
    ascend(place(5, 1), place(-5, 2), place(3, 2))
  }
}
