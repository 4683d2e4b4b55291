package windrow.spark

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import windrow._

/** Joins and co-groups by the Scala entry; what comes out of them is compared elsewhere. */
final class JoinSuite extends SparkSuite {

  private def messages(rows: (String, Long, Long)*) =
    spark.createDataFrame(rows).toDF("id", "seconds", "value").withColumn("time", timestamp_seconds(col("seconds")))

  private lazy val o =
    Windrow.stream(messages(("a", 0, 1), ("b", 60, 2)), time = "time", key = Seq("id"), name = "o")
      .lateness("0 seconds")
  private lazy val s =
    Windrow.stream(messages(("a", 240, 10), ("a", 301, 11)), time = "time", key = Seq("id"), name = "s")
      .lateness("0 seconds")

  test("a left join within five minutes") {
    val joined = Windrow.join(o, s)(on = Seq("id"), within = Within("0 minutes", "5 minutes"), how = How.Left)
    val rows   = joined.rows.select("id", "o.value", "s.value").collect().toSet
    assert(rows == Set(Row("a", 1, 10), Row("b", 2, null)))
    assert(joined.rejected.isEmpty)
  }

  test("windows of the sides, and one of both") {
    val own    = Windrow.join(o.window(Over.Range("4 minutes")), s.window(Over.Range("1 minute")))(on = Seq("id"))
    val shared = Windrow.join(o, s)(on = Seq("id"), within = Tumbling("5 minutes"))
    for (joined <- Seq(own, shared))
      assert(joined.rows.select("o.value", "s.value").collect().toSet == Set(Row(1, 10)))
  }

  test("a co-group") {
    val grouped = Windrow.cogroup(o, s).window(Tumbling("1 hour")).aggregate(count("o.value"), sum("s.value"))
    assert(grouped.panes.drop("window", "pane").collect().toSet == Set(Row("a", 1, 21), Row("b", 1, null)))
  }

  test("what is refused") {
    intercept[UnboundedJoinError](Windrow.join(o, s)(on = Seq("id")))
    val found = intercept[SpecError](Windrow.join(o, s.lateness("1 minute"))(within = Within("1 s", "0 s")))
    assert(found.problems.map(_.code).toSet == Set("LATENESS_DIFFERS", "RANGE_REVERSED"))
  }
}
