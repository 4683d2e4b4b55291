package windrow.spark

import java.nio.file.{Files => Folders, Path}
import org.apache.spark.sql.execution.streaming.ProcessingTimeTrigger
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow
import scala.annotation.nowarn
import scala.collection.mutable.ArrayBuffer
import windrow._
import windrow.spark.output.LastPanes
import windrow.spark.sinks._

/** Tests starts of one query with several sinks in the Scala API, and whether it may continue from a checkpoint
  * (SEMANTICS S2).
  */
@Slow
final class StartSuite extends SparkSuite {
  private lazy val folder = Folders.createTempDirectory("windrow-start").toString
  private val once        = Some(Trigger.AvailableNow())

  private lazy val input: DataFrame = {
    val rows = Seq(("a", 10L, 1L), ("a", 20L, 2L), ("a", 90L, 3L)).map { case (id, second, value) =>
      (id, new java.sql.Timestamp(second * 1000), value)
    } :+ (("a", null, 4L))
    spark.createDataFrame(rows).toDF("id", "time", "value").write.json(s"$folder/in")
    spark.readStream.schema("id string, time timestamp, value bigint").json(s"$folder/in")
  }

  private def stream(name: String) =
    Windrow.stream(input, time = "time", key = Seq("id"), watermark = Some("0 seconds"), name = name)
      .lateness("0 seconds")

  private def sums(size: TimeSpan) = stream("messages").window(Tumbling(size)).aggregate(sum("value").as("total"))

  test("panes and rejected rows of one query") {
    val lost = ArrayBuffer.empty[String]
    sums("1 minute").start(
      s"$folder/checkpoint",
      panes = Some(Files(s"$folder/panes")),
      rejected = Some(Each((rows, _) => { lost ++= rows.collect().map(_.getAs[String]("reason")); () })),
      queryTrigger = once).awaitTermination()
    assert(spark.read.parquet(s"$folder/panes").select("id", "total").collect().toSeq == Seq(Row("a", 3)))
    assert(lost == Seq("INVALID_TIME"))
    val refused = intercept[CheckpointError](sums("5 minutes").start(s"$folder/checkpoint", panes = Some(Table("t"))))
    assert(
      refused.getMessage.startsWith(
        "[SPEC_CHANGED] The query does not fit its checkpoint, which was last run with windows `Tumbling('1 minute')`, " +
          "but the query has `Tumbling('5"))
  }

  test("SEMANTICS A7, B7: the first invalid message ends a query; no error has a value of a message") {
    val secrets = Seq("hushhush-4711", "907060504030201", "0.123454321")
    val where   = s"$folder/secret"
    spark.range(2).coalesce(1).selectExpr(
      "if(id = 0, TIMESTAMP '2026-01-01', NULL) AS time",
      s"'${secrets.head}' AS text",
      s"${secrets(1)}L AS number",
      s"${secrets(2)}D AS real").write.json(where)
    val read = spark.readStream.schema("time timestamp, text string, number bigint, real double").json(where)
    def counted(invalid: InvalidMessages, key: String) =
      Windrow.stream(read, time = "time", key = Seq(key), watermark = Some("0 seconds"), invalid = invalid)
        .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(max("number"), max("real"))
    var lost = 0L
    def run(invalid: InvalidMessages, key: String = "text"): Unit = counted(invalid, key).start(
      s"$folder/failing",
      rejected = Some(Each((rows, _) => lost += rows.count())),
      queryTrigger = once).awaitTermination()
    val ended   = intercept[StreamingQueryException](run(InvalidMessages.Fail))
    val reasons = Iterator.iterate[Throwable](ended)(_.getCause).takeWhile(_ != null).toSeq
    assert(reasons.last.getMessage.contains("Stream 'messages', file 'file:"))
    assert(reasons.last.getMessage.contains("row 2: a row does not have a usable event time in 'time'"))
    run(InvalidMessages.Reject)
    assert(lost == 1)
    val others = Seq(
      intercept[CheckpointError](run(InvalidMessages.Reject, "number")),
      intercept[SpecError](counted(InvalidMessages.Reject, "nothing")))
    for (error <- reasons ++ others; secret <- secrets) assert(!error.toString.contains(secret))
  }

  test("SEMANTICS S17: a query goes on although its driver ended while it wrote the first plan") {
    def counted = sums("1 minute").start(s"$folder/cut", panes = Some(Files(s"$folder/cut-panes")), queryTrigger = once)
    val plans   = Folders.createDirectories(Path.of(s"$folder/cut/offsets"))
    val left    = Seq(".0.c54f81b7-8174-4314-a3a0-2d7723e57af1.tmp", "..0.c54f81b7-8174-4314-a3a0-2d7723e57af1.tmp.crc")
    left.foreach(name => Folders.write(plans.resolve(name), Array[Byte](1, 2)))
    counted.awaitTermination()
    assert(spark.read.parquet(s"$folder/cut-panes").count() == 1)
    assert(!left.exists(name => Folders.exists(plans.resolve(name))))
    left.foreach(name => Folders.write(plans.resolve(name), Array[Byte](1, 2)))
    counted.awaitTermination()
    assert(left.forall(name => Folders.exists(plans.resolve(name)))) // Spark ignores them next to plans
  }

  test("SEMANTICS B5: a folder of files belongs to a checkpoint") {
    val files = Some(Files(s"$folder/own"))
    sums("1 minute").start(s"$folder/owner", panes = files, queryTrigger = once).awaitTermination()
    sums("1 minute").start(s"$folder/owner", panes = files, queryTrigger = once).awaitTermination()
    val refused = intercept[CheckpointError](sums("1 minute").start(s"$folder/other", panes = files))
    assert(refused.getMessage.startsWith("[FILES_OF_ANOTHER_QUERY]"))
    val begun = intercept[CheckpointError](
      sums("1 minute").start(s"$folder/owner", panes = files, queryTrigger = once, drain = true))
    assert(begun.getMessage.startsWith("[DRAIN_NOT_STARTED]"))
    val named = stream("messages").window(Tumbling("1 minute")).aggregate(sum("value").as("Batch"))
    assert(intercept[SpecError](named.start(s"$folder/other", panes = files)).problems.map(_.code) ==
      Seq("NAME_TAKEN", "FILES_OF_ANOTHER_QUERY"))
  }

  test("SEMANTICS B5: a repeated batch overwrites itself; the first shows the columns although it has no rows") {
    val twice = Files(s"$folder/twice")
    (1 to 2).foreach(_ => twice.write(spark.range(3).toDF(), 7))
    assert(spark.read.parquet(s"$folder/twice").count() == 3)
    val valid = Windrow.stream(input.where("time is not null"), time = "time", watermark = Some("0 seconds"))
      .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count("*"))
    valid.start(
      s"$folder/valid",
      panes = Some(Each((_, _) => ())),
      rejected = Some(Files(s"$folder/none-rejected")),
      queryTrigger = once).awaitTermination()
    assert(spark.read.parquet(s"$folder/none-rejected").columns.contains("reason"))
  }

  test("SEMANTICS B10: the last pane of a batch applies, and a retraction follows its pane") {
    for (retraction <- Seq(0L, 1L)) {
      val panes = spark.range(2).coalesce(1)
        .selectExpr("'a' id", s"named_struct('index', 0L, 'is_retraction', id = $retraction) pane", "id total")
      assert(LastPanes.ofEach(panes, Seq("id")).collect().toSeq.map(_.getLong(2)) == Seq(retraction))
    }
  }

  test("SEMANTICS B11: records of a compacted topic, and rows that are not records") {
    val topic  = KafkaTable("nowhere:9092", "minutes", options = Map("kafka.sasl.jaas.config" -> "secret"))
    val window = "named_struct('start', timestamp'1970-01-01 00:00:00', 'end', timestamp'1970-01-01 00:01:00')"
    val panes = spark.range(1, 4).selectExpr(
      "if(id = 3, 'b', null) id",
      s"$window window",
      "id total",
      "named_struct('timing', 'LATE', 'index', id, 'is_last', false, 'is_retraction', id = 3) pane")
    val bounds  = """"window":{"start":"1970-01-01T00:00:00.000000Z","end":"1970-01-01T00:01:00.000000Z"}"""
    val records = topic.records(panes).orderBy("key").collect()
    assert(records.map(_.getString(0)).toSeq == Seq(s"""{"id":"b",$bounds}""", s"""{"id":null,$bounds}"""))
    assert(records(0).isNullAt(1) && records(1).getString(1).startsWith(s"""{"id":null,$bounds,"total":2,"pane":{"""))
    for (zone <- Seq("UTC", "America/New_York", "+05:45")) {
      val other = spark.newSession()
      other.conf.set("spark.sql.session.timeZone", zone)
      val rows = other.range(1).selectExpr(
        "timestamp_seconds(1730613600) id",
        "named_struct('start', timestamp_seconds(0), 'end', timestamp_seconds(60)) window",
        "named_struct('index', 0L, 'is_retraction', false) pane")
      assert(
        topic.records(rows).head().getString(0) == s"""{"id":"2024-11-03T06:00:00.000000Z",$bounds}""",
        s"in a session of $zone")
    }
    val wrong = intercept[SpecError](sums("1 minute").start(s"$folder/topic", rejected = Some(topic)))
    assert(wrong.problems.map(_.code) == Seq("UPSERT_NOT_OF_PANES") && !wrong.getMessage.contains("secret"))
  }

  test("SEMANTICS B11: strings that are not valid text stay distinct in every position") {
    def key(bytes: String) = spark.range(1).selectExpr(
      s"map(CAST($bytes AS STRING), array(struct(CAST($bytes AS STRING) s))) id",
      "1 window",
      "named_struct('index', 0L, 'is_retraction', false) pane")
    val records = KafkaTable("nowhere:9092", "minutes").records(key("X'61FF'").union(key("'ü'")))
    val found   = records.orderBy("key").collect().map(_.getString(0)).toSeq
    assert(found == Seq("ü", "\uffff61ff").map(one => s"""{"id":{"$one":[{"s":"$one"}]},"window":1}"""))
  }

  test("SEMANTICS R71: a final run completes every window, once") {
    def run() = sums("1 minute").start(
      s"$folder/final",
      panes = Some(Files(s"$folder/all")),
      queryTrigger = once,
      drain = true).awaitTermination()
    def found = spark.read.parquet(s"$folder/all").select("window.start", "total").collect().map(_.getLong(1)).toSeq
    def lines = spark.read.text(s"$folder/final/windrow/end").count()
    run()
    assert(found.sorted == Seq(3, 3) && lines == 1)
    run()
    assert(found.sorted == Seq(3, 3) && lines == 1)
    def unending = sums("1 minute").start(s"$folder/none", panes = Some(Table("panes")), drain = true)
    assert(intercept[SpecError](unending).problems.map(_.code) == Seq("DRAIN_WITHOUT_END"))
    @nowarn("cat=deprecation") def alone = sums("1 minute").start(
      s"$folder/none",
      panes = Some(Table("panes")),
      queryTrigger = Some(Trigger.Once()),
      drain = true)
    assert(intercept[SpecError](alone).problems.map(_.code) == Seq("DRAIN_WITHOUT_END"))
    def endless = sums("1 minute").start(s"$folder/final", panes = Some(Files(s"$folder/all")), queryTrigger = once)
    assert(intercept[CheckpointError](endless).getMessage.startsWith("[DRAIN_LEFT_OUT]"))
    // A start with `drain` that failed before its first micro-batch leaves nothing to continue from.
    Folders.createDirectories(Path.of(s"$folder/undone/windrow/end"))
    (1 to 2).foreach(_ =>
      sums("1 minute").start(
        s"$folder/undone",
        panes = Some(Files(s"$folder/of-undone")),
        queryTrigger = once).awaitTermination())
  }

  test("answers to a lookup stream (S7)") {
    val kept  = stream("messages").retain(time = Some("1 hour")).window(Tumbling("1 minute")).keepRows()
    val asked = kept.getMessages(input.withColumnRenamed("id", "of"), end = "time", key = Map("id" -> col("of")))
    asked.start(s"$folder/asked", answers = Some(Files(s"$folder/answers")), queryTrigger = once).awaitTermination()
    val answers = spark.read.parquet(s"$folder/answers").where("time is not null")
      .selectExpr("of", "value", "transform(messages, m -> m.value)")
    assert(answers.collect().toSet == Set(Row("a", 1, Seq(1)), Row("a", 2, Seq(1, 2)), Row("a", 3, Seq(1, 2, 3))))
    val windows = kept.getWindows(input, start = "time").answers
    assert(windows.schema("windows").dataType.simpleString.startsWith("array<struct<window:struct<start:timestamp"))
    val refused = intercept[SpecError](kept.getMessages(input, start = "id", key = Map("no" -> lit(1))))
    assert(refused.problems.map(_.code) == Seq("KEYS_NOT_THOSE", "BOUND_NOT_UNDERSTOOD"))
  }

  test("the state of a query, by constants") {
    val kept = stream("messages").retain(time = Some("1 hour")).window(Tumbling("1 minute")).keepRows()
    kept.start(s"$folder/kept", panes = Some(Files(s"$folder/messages")), queryTrigger = once).awaitTermination()
    val state                 = Windrow.state(s"$folder/kept")
    def values(of: DataFrame) = of.select("value").collect().map(_.getLong(0)).toSeq
    assert(values(state.getMessages()) == Seq(1, 2, 3))
    val from = Some(lit("1970-01-01 00:00:15").cast("timestamp"))
    assert(values(state.getMessages(
      from,
      Some(lit("1970-01-01 00:01:00")),
      key = Map("id" -> lit("a")))) == Seq(2))
    assert(state.getWindows(start = Some(lit("1970-01-01 00:01:00"))).count() == 1)
    val refused = intercept[SpecError](state.getMessages(start = Some(col("time"))))
    assert(refused.problems.map(_.code) == Seq("ARGUMENT_NOT_CONSTANT"))
  }

  test("SEMANTICS R52: by the clock all that is past is complete") {
    val clocked = Windrow.stream(input, time = "time", key = Seq("id")).processingTimeWatermark("1 hour")
    val output  = clocked.lateness("0 seconds").window(Tumbling("1 minute")).aggregate(sum("value").as("total"))
    output.start(s"$folder/clocked", panes = Some(Files(s"$folder/past")), queryTrigger = once).awaitTermination()
    assert(spark.read.parquet(s"$folder/past").select("window.start", "total").count() == 2)
  }

  test("SEMANTICS R88: a query with a period starts a micro-batch every second if it has no trigger") {
    val query = stream("messages").window(Tumbling("1 minute")).trigger(early = EveryPeriod("1 hour"))
      .accumulationMode(Accumulating).aggregate(count(lit(1)))
      .start(s"$folder/paced", panes = Some(Each((_, _) => ())))
    try assert(SparkSuite.execution(query, "trigger") == ProcessingTimeTrigger(1000))
    finally query.stop()
  }

  test("the explanation of a query") {
    val told = sums("1 minute").explanation.linesIterator.toSeq
    assert(told.head == "Tumbling('1 minute') over stream 'messages', event time time, key id")
    assert(told(2) == "  watermark  greatest event time minus 0 seconds; it advances after each micro-batch")
    val policies =
      Windrow.stream(input, time = "time").policy(Eviction.Tumbling(ByCount(3))).aggregate(sum("value")).explanation
    assert(policies.contains("For each key, all rows leave once there are 3. It fires when they leave."))
    val kept = stream("messages").retain(time = Some("2 hours")).window(Tumbling("1 minute")).lateness("1 hour")
      .keepRows().explanation
    assert(kept.contains("each row once"))
    assert(kept.linesIterator.count(_.contains("one pane for each row")) == 2) // early and late
    val joined = Windrow.join(stream("a"), stream("b"))(on = Seq("id"), within = Within("1 second", "1 minute"))
    assert(joined.explanation.contains(
      "equal id (null matches nothing); event time of 'b' minus event time of 'a' in [1 second, "))
  }

  test("SEMANTICS R42: settings that do not apply to an operator are rejected") {
    val limited = stream("a").lateness("1 hour").retain(time = Some("2 hours"), windows = Some(3))
    val policy  = intercept[SpecError](limited.policy(Eviction.Tumbling(ByCount(3))).aggregate(count(lit(1))))
    for (name <- Seq("lateness: 1 hour", "retain(time): 2 hours", "retain(windows): 3"))
      assert(policy.getMessage.contains(s"$name does not work with windows by policies"))
    val join = intercept[SpecError](
      Windrow.join(limited, stream("b").lateness("1 hour"))(on = Seq("id"), within = Within("1 second", "1 minute")))
    assert(join.getMessage.contains("[FIELD_UNKNOWN] 'windows' is not a field of retain(...) of 'a' in a join"))
  }

  test("SEMANTICS B2: operators without aggregates and without an event time") {
    val minutes = sums("1 minute").panes
    assert(Windrow.stream(
      minutes,
      key = Seq("id"),
      name = "more").lateness("1 hour").dedup("5 minutes").rows.isStreaming)
    val kept = Windrow.stream(input, key = Seq("id")).retain(messages = Some(10L)).window(Count(5)).keepRows()
    assert(kept.panes.isStreaming)
    val timeless = Windrow.stream(input, key = Seq("id"), watermark = Some("1 minute")).lateness("1 hour")
    assert(intercept[SpecError](timeless.dedup("5 minutes")).problems.map(_.code).contains("TIME_NOT_STATED"))
  }

  test("a watermark is never ahead of the rows or of the clock") {
    val ahead   = Windrow.stream(input, time = "time", watermark = Some("-1 hour"))
    val clocked = Windrow.stream(input, time = "time").processingTimeWatermark("-5 minutes")
    for (stream <- Seq(ahead, clocked)) {
      val windows = stream.lateness("0 seconds").window(Tumbling("1 minute"))
      val refused = intercept[SpecError](windows.aggregate(count(lit(1))).panes)
      assert(refused.problems.map(_.code) == Seq("WATERMARK_NEGATIVE"))
    }
  }

  test("rows of a join") {
    val joined = Windrow.join(stream("a"), stream("b"))(on = Seq("id"), within = Within("1 second", "1 minute"))
    joined.start(s"$folder/joined", rows = Some(Files(s"$folder/rows")), queryTrigger = once).awaitTermination()
    assert(spark.read.parquet(s"$folder/rows").select("a.value", "b.value").collect().toSet == Set(Row(1, 2)))
  }

  test("a star is a name") {
    val named   = input.withColumn("*", col("id"))
    val starred = Windrow.stream(named, time = "time", key = Seq("*"), watermark = Some("0 seconds"))
    val counted = starred.lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count(lit(1)).as("n"))
    assert(counted.panes.columns.toSeq == Seq("*", "window", "n", "pane"))
  }

  test("queries that cannot start") {
    input
    def codes(start: => Any) = intercept[SpecError](start).problems.map(_.code)
    assert(codes(sums("1 minute").start(s"$folder/none")) == Seq("SINK_NOT_STATED"))
    val events = sums("1 minute")
    assert(codes(events.start(s"$folder/none", events = Some(Table("events")))) == Seq("NO_EVENTS"))
    val corrected = stream("messages").lateness("1 minute").window(Tumbling("1 minute"))
    val held      = corrected.accumulationMode(Accumulating).aggregate(sum("value"))
    held.panes.sparkSession.createDataFrame(java.util.List.of[Row](), held.panes.schema).write.saveAsTable("held")
    def upsert(output: Output, table: Sink) = output.start(s"$folder/none", panes = Some(table))
    assert(codes(upsert(held, Upsert("nowhere"))) == Seq("TABLE_NOT_MERGEABLE"))
    assert(codes(upsert(held, Upsert("held"))) == Seq("TABLE_NOT_MERGEABLE"))
    assert(codes(upsert(held, Upsert("held", on = Seq("shop")))) == Seq("COLUMN_NOT_FOUND"))
    assert(codes(held.start(s"$folder/none", rejected = Some(Upsert("held")))) == Seq("UPSERT_NOT_OF_PANES"))
    val latest = stream("messages").lateness("1 minute").window(Over(rows = 2))
    val over   = latest.accumulationMode(Accumulating).aggregate(sum("value").as("total"))
    assert(codes(upsert(over, Jdbc("jdbc:none:", "held", upsert = true))) ==
      Seq("UPSERT_ROW_UNCLEAR", "JDBC_REFUSED"))
    assert(!codes(upsert(over, Upsert("held", on = Seq("id")))).contains("UPSERT_ROW_UNCLEAR"))
    val parts = corrected.accumulationMode(Discarding).aggregate(sum("value"))
    assert(codes(upsert(parts, Upsert("held"))) == Seq("UPSERT_OF_PARTS"))
    val batch =
      Windrow.stream(spark.read.json(s"$folder/in").withColumn("time", col("time").cast("timestamp")), time = "time")
        .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(count("*"))
    assert(codes(batch.start(s"$folder/none", panes = Some(Table("panes")))) == Seq("NOT_STREAMING"))
  }
}
