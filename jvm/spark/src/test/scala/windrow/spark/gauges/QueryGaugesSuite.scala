package windrow.spark.gauges

import java.sql.Timestamp
import java.util.UUID
import org.apache.spark.sql.classic
import org.apache.spark.sql.functions.{count, lit}
import org.apache.spark.sql.windrow.ShownGauges
import windrow.Tumbling
import windrow.spark.sinks.Each
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

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

  test("a run keeps its gauges if Spark reports the end of the run before it late") {
    spark.version
    val (listener, id)  = (new GaugeListener, UUID.randomUUID)
    val (first, second) = (UUID.randomUUID, UUID.randomUUID)
    listener.started(id, first, Some("again"))
    listener.started(id, second, Some("again"))
    listener.ended(id, first)
    assert(ShownGauges.of("again").contains("batch"))
    listener.ended(id, second)
    assert(ShownGauges.of("again").isEmpty)
  }

  test("a query without input has its gauges from its start on, and Spark's own queries have none") {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    GaugeListener.add(session)
    val idle  = MemoryStream[Timestamp].toDF().toDF("time")
    val other = idle.writeStream.queryName("other").format("noop").start()
    val query = Windrow.stream(idle, time = "time", watermark = Some("0 seconds"))
      .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count(lit(1)))
      .start(SparkSuite.folder(), panes = Some(Each((_, _) => ())), name = Some("idle"))
    try {
      val shown = ShownGauges.of("idle")
      assert(shown.values.forall(_ == 0))
      assert(Set("batch", "invalid_time", "watermark_ms").subsetOf(shown.keySet) && !shown.contains("open_windows"))
      assert(ShownGauges.of("other").isEmpty)
    } finally Seq(query, other).foreach(_.stop())
  }
}
