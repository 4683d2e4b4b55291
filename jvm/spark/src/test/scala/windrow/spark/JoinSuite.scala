package windrow.spark

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.tags.Slow
import windrow._

/** Tests the Scala API of joins and co-groups. Other suites compare their output. */
@Slow
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
    val joined = Windrow.join(o, s)(on = Seq("id"), within = Within("0 minutes", "5 minutes"), how = JoinKind.Left)
    val rows   = joined.rows.select("id", "o.value", "s.value").collect().toSet
    assert(rows == Set(Row("a", 1, 10), Row("b", 2, null)))
    assert(joined.rejected.isEmpty)
  }

  test("a condition, and a chain of left joins (SEMANTICS R142, R143)") {
    val range  = Within("0 minutes", "6 minutes")
    val larger = Windrow.join(o, s)(on = Seq("id"), within = range, how = "left", condition = "s.value > o.value + 9")
    val column = Windrow.join(o, s)(on = Seq("id"), within = range, how = "left", condition = col("s.value") > 10)
    for (joined <- Seq(larger, column))
      assert(joined.rows.select("o.value", "s.value").collect().toSet == Set(Row(1, 11), Row(2, null)))
    val p = Windrow.stream(messages(("a", 241, 20), ("c", 1, 21)), time = "time", name = "p").lateness("0 seconds")
    val chain = Windrow.join(o, s, p)(
      on = Seq("id"),
      within = range,
      how = JoinKind.Full,
      condition = Map("p" -> (col("p.value") > col("s.value")), "s" -> (col("s.value") > 10)))
    assert(chain.rows.columns.toSeq == Seq("id", "o", "s", "p"))
    assert(chain.rows.select("id", "o.value", "s.value", "p.value").collect().toSet == Set(
      Row("a", 1, 11, 20),
      Row("b", 2, null, null),
      Row("a", null, 10, null),
      Row("c", null, null, 21)))
    assert(chain.rejected.isEmpty && chain.output.count() == 4)
    val refused = intercept[SpecError](
      Windrow.join(o, s, p)(within = Tumbling("1 hour"), how = "left", condition = "p.value > 1"))
    assert(refused.problems.map(_.code).toSet == Set("OUTER_JOIN_OF_MANY", "CONDITION_OF_STREAM"))
    val clocks                 = Seq(o, s, p).map(one => one.processingTimeWatermark("1 minute"): JoinSide)
    def clocked(how: JoinKind) = Windrow.join(clocks: _*)(on = Seq("id"), within = range, how = how).rows
    assert(intercept[SpecError](clocked(JoinKind.Left)).problems.map(_.code) == Seq("OUTER_JOIN_OF_MANY"))
    assert(clocked(JoinKind.Inner).columns.toSeq == Seq("id", "o", "s", "p"))
  }

  test("the nearest row (SEMANTICS R115)") {
    val nearest = Windrow.asofJoin(o, s)(on = Seq("id"), tolerance = "4 minutes", direction = "nearest")
    val rows    = nearest.rows.select("id", "o.value", "s.value", "pane.is_retraction").collect().toSet
    assert(rows == Set(Row("a", 1, 10, false), Row("b", 2, null, false)))
    val inner = Windrow.asofJoin(s, o)(on = Seq("id"), how = JoinKind.Inner, early = Never)
    assert(inner.rows.select("s.value", "o.value").collect().toSet == Set(Row(10, 1), Row(11, 1)))
    val refused = intercept[SpecError](Windrow.asofJoin(o, s)(direction = AsofDirection.Forward))
    assert(refused.problems.map(_.code) == Seq("TOLERANCE_NOT_STATED"))
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

  test("a co-group without event time, under windows that need none") {
    val (a, b) = (Windrow.stream(o.df, key = Seq("id"), name = "a"), Windrow.stream(s.df, key = Seq("id"), name = "b"))
    val pairs  = Windrow.cogroup(a, b).window(Count(3)).aggregate(sum("a.value"), sum("b.value"))
    assert(pairs.panes.drop("window", "pane").collect().toSet == Set(Row("a", 1, 21), Row("b", 2, null)))
    val mixed = intercept[SpecError](Windrow.cogroup(a, o))
    assert(mixed.problems.map(_.code) == Seq("TIME_NOT_STATED"))
  }

  test("the window of a row") {
    val shared = Windrow.join(o, s)(on = Seq("id"), within = Hopping("5 minutes", "2 minutes"))
    assert(shared.rows.select("window.start", "window.end").collect().map(_.getTimestamp(0).getTime).toSeq == Seq(0L))
  }

  test("a checkpoint of another join is refused before the start") {
    val folder = java.nio.file.Files.createTempDirectory("windrow-continuing").toString
    o.df.write.json(s"$folder/in")
    val in = spark.readStream.schema(o.df.schema).json(s"$folder/in")
    def rows(high: String) = {
      def named(name: String) =
        Windrow.stream(in, time = "time", watermark = Some("1 minute"), name = name).lateness("0 seconds")
      Windrow.join(named("a"), named("b"))(on = Seq("id"), within = Within("0 minutes", high)).rows
    }
    Windrow.continues(rows("5 minutes"), s"$folder/checkpoint") // the checkpoint does not exist yet
    rows("5 minutes").writeStream.format("noop").option("checkpointLocation", s"$folder/checkpoint")
      .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow).start().awaitTermination()
    Windrow.continues(rows("5 minutes"), s"$folder/checkpoint")
    val refused = intercept[CheckpointError](Windrow.continues(rows("6 minutes"), s"$folder/checkpoint"))
    assert(refused.getMessage.startsWith("[SPEC_CHANGED]"))
    assert(refused.getMessage.contains("last run with range `within="))
  }

  test("what is refused") {
    intercept[UnboundedJoinError](Windrow.join(o, s)(on = Seq("id")))
    val found = intercept[SpecError](Windrow.join(o, s.lateness("1 minute"))(within = Within("1 s", "0 s")))
    assert(found.problems.map(_.code).toSet == Set("OPTION_DIFFERS", "RANGE_REVERSED"))
    val fires =
      s.window(Over.Range("1 minute"), fillGaps = TimeSpan.Endless).lateness("1 minute").accumulationMode(Accumulating)
    val wrong = intercept[SpecError](Windrow.join(o, fires)(within = Within("0 s", "1 s")))
    assert(wrong.problems.map(_.code) == Seq("OPTION_DIFFERS", "VALUE_NOT_SUPPORTED", "VALUE_NOT_SUPPORTED"))
    val clocked = s.processingTimeWatermark("1 minute")
    for (several <-
        Seq(() => Windrow.join(o, clocked)(within = Within("0 s", "1 s")), () => Windrow.cogroup(o, clocked)))
      assert(intercept[SpecError](several()).problems.map(_.code) == Seq("OPTION_DIFFERS"))
    val soon = intercept[SpecError](Windrow.cogroup(o.processingTimeWatermark("2 minutes"), clocked))
    assert(soon.getMessage.contains("processing time - 2 minutes of 'o'"))
  }

  test("names, keys and retention of several streams") {
    def codes(made: => Any) = intercept[SpecError](made).problems.map(_.code)
    assert(codes(Windrow.cogroup(o, s.copy(key = Nil))) == Seq("KEYS_DIFFER"))
    assert(codes(Windrow.cogroup(o, o)) == Seq("STREAM_TWICE"))
    val soon = Within("0 seconds", "1 second")
    assert(codes(Windrow.join(o, s)(on = Seq("id", "ID"), within = soon)) == Seq("NAME_TWICE"))
    assert(codes(Windrow.join(o, s.copy(name = "window"))(Seq("id"), Tumbling("5 minutes"))) == Seq("NAME_TAKEN"))
    val numbered = s.copy(df = s.df.withColumn("id", length(col("id"))))
    assert(codes(Windrow.join(o, numbered)(on = Seq("id"), within = soon)) == Seq("KEY_TYPES_DIFFER"))
    val kept = o.retain(time = Some("1 hour"))
    assert(codes(Windrow.join(kept, s.retain(time = Some("2 hours")))(Seq("id"), soon)) == Seq("OPTION_DIFFERS"))
    assert(codes(Windrow.join(kept, s)(on = Seq("id"), within = soon)) == Seq("OPTION_DIFFERS"))
    val both = Windrow.join(kept, s.retain(time = Some("60 minutes")))(on = Seq("id"), within = soon)
    assert(both.rows.columns.toSeq == Seq("id", "o", "s"))
  }
}
