package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.TimestampType
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.time.EventTime

final class ValidTimeSpec extends AnyFunSuite {

  test("SEMANTICS T1: times out of the range of windows are null, at either end") {
    def micros(of: Long) = Option(ValidTime.micros(Literal(of, TimestampType)).eval())
    for (sign <- Seq(-1, 1)) {
      assert(micros(sign * (EventTime.Limit - 1)) == Some(sign * (EventTime.Limit - 1)))
      assert(micros(sign * EventTime.Limit).isEmpty)
    }
  }

  test("SEMANTICS W3: a session has a gap above 0, and ends at a time") {
    def time(gap: Long, of: Long = 7) = Option(ValidTime.ofSession(Literal(of), Literal(gap)).eval())
    assert(time(1) == Some(7) && time(0).isEmpty && time(-1).isEmpty)
    assert(time(1, EventTime.Limit - 2).isDefined && time(1, EventTime.Limit - 1).isEmpty)
    assert(time(Long.MaxValue).isEmpty)
  }

  test("SEMANTICS R73: the limit itself is not beyond") {
    def isBeyond(ahead: Long) = ValidTime.isBeyond(Literal(1000L + ahead), Literal(1000L), "5 seconds").eval()
    assert(isBeyond(5000000) == false && isBeyond(5000001) == true)
  }
}
