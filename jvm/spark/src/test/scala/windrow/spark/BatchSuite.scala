package windrow.spark

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{count, lit}
import windrow._

/** Tests batch queries, whose rows all arrive at once (SEMANTICS B1). */
final class BatchSuite extends SparkSuite {
  private def input = spark.range(6).selectExpr("'a' AS id", "timestamp_seconds(id * 20) AS time", "id AS value")
  private def windows =
    Windrow.stream(input, time = "time", key = Seq("id")).lateness("0 seconds").retain(time = Some("1 hour"))
      .window(Tumbling("1 minute"))

  private def timings(output: Output) = output.panes.select("pane.timing").collect().map(_.getString(0)).toSeq

  test("nothing is early in it, and every window is complete") {
    assert(timings(windows.trigger(early = Every(1)).keepRows()) == Seq("ON_TIME", "ON_TIME"))
    assert(
      timings(windows.trigger(early = EachMessage).accumulationMode(Accumulating).aggregate(count(lit(1)))) ==
        Seq("ON_TIME", "ON_TIME"))
  }

  test("SEMANTICS R35: a null matches nothing, in whichever field of the key") {
    def side(name: String) = Windrow.stream(
      spark.sql("SELECT * FROM VALUES ('a', 1), ('b', NULL), (NULL, 2) AS (id, day)")
        .selectExpr("*", "TIMESTAMP '2026-01-01' AS time"),
      time = "time",
      name = name).lateness("0 seconds")
    val joined = Windrow.join(side("l"), side("r"))(on = Seq("id", "day"), within = Within("0 minutes", "5 minutes"))
    assert(joined.rows.select("id", "day").collect().toSeq == Seq(Row("a", 1)))
  }
}
