package windrow.spark.gauges

import java.util.UUID
import org.apache.spark.sql.windrow.ShownGauges
import windrow.spark.SparkSuite

final class QueryGaugesSuite extends SparkSuite {

  private def batch(number: Long, open: (String, Option[Long])*): BatchFigures = BatchFigures(
    number,
    Map.empty,
    Map.empty,
    open.toMap.map { case (name, all) => name -> OpenFigures(all, None) },
    Map.empty,
    None,
    None,
    Nil)

  test("SEMANTICS S16: the gauge of open windows is missing while their number is unknown") {
    spark.version // metrics need a running Spark
    val gauges = QueryGauges(Some("unknown"), UUID.randomUUID)
    def shown  = ShownGauges.of("unknown").get("open_windows")
    val steps = Seq(None, Some(2L), Some(0L), None, None, Some(5L)).zipWithIndex.map { case (all, number) =>
      gauges.take(batch(number + 1L, "minutes" -> all))
      shown
    }
    assert(steps == Seq(None, Some(2L), Some(0L), None, None, Some(5L)))
    gauges.close()
    assert(ShownGauges.of("unknown").isEmpty)
  }
}
