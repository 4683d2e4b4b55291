package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions.{Cast, Hour, Literal}
import org.apache.spark.sql.types.{LongType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

final class PlainTextSpec extends AnyFunSuite {

  test("SEMANTICS S2: the zones by which times are read, and no others") {
    val read   = Cast(Literal("2026-01-01"), TimestampType, Some("Europe/Berlin"))
    val number = Cast(Literal(1), LongType, Some("Asia/Tokyo"))
    assert(PlainText.zones(Seq(read, number)) == Seq("Europe/Berlin"))
    assert(PlainText.zones(Seq(Hour(Literal(0L, TimestampType), Some("Asia/Tokyo")), read)) ==
      Seq("Asia/Tokyo", "Europe/Berlin"))
    assert(PlainText.zones(Seq(number)).isEmpty)
  }
}
