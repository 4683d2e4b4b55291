package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.sum
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.windrow.SparkInside
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.panes.PaneProgram
import windrow.spark.query.Checkpoint
import windrow.spark.running.{ResumeCheck, RunOptions, StartCheck}

/** Tests which changed queries can continue from a checkpoint (SEMANTICS S2). */
@Slow
final class ContinuesSuite extends SparkSuite {
  private val folder = SparkSuite.folder()

  private lazy val input: DataFrame = {
    spark.range(9).selectExpr(
      "'a' AS id",
      "timestamp_seconds(id * 20) AS time",
      "id AS value").write.json(s"$folder/in")
    spark.readStream.schema("id string, time timestamp, value bigint").json(s"$folder/in")
  }

  private def stream(of: DataFrame, name: String = "messages") =
    Windrow.stream(of, time = "time", key = Seq("id"), watermark = Some("1 minute"), name = name).lateness("0 seconds")

  private def begun(rows: DataFrame, name: String): String = {
    val checkpoint = s"$folder/$name"
    rows.writeStream.format("noop").option("checkpointLocation", checkpoint).trigger(Trigger.AvailableNow)
      .start().awaitTermination()
    Windrow.continues(rows, checkpoint)
    checkpoint
  }

  private def refused(rows: DataFrame, checkpoint: String): String =
    intercept[CheckpointError](Windrow.continues(rows, checkpoint)).getMessage
      .stripPrefix("[SPEC_CHANGED] The query does not fit its checkpoint, which was last run with ")

  test("rows of messages in the state keep their columns, and a checkpoint its store") {
    def over(of: DataFrame) = stream(of).window(Over.Rows(2)).aggregate(sum("value").as("sum")).panes
    val checkpoint          = begun(over(input), "over")
    assert(refused(over(input.selectExpr("*", "1 AS more")), checkpoint).startsWith("messages "))
    val provider = "spark.sql.streaming.stateStore.providerClass"
    val rocks    = spark.conf.get(provider)
    spark.conf.set(provider, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    def check(at: String) =
      StartCheck.check(spark, SparkInside.plan(over(input)), RunOptions(at))
    try {
      check(checkpoint)
      assert(intercept[SpecError](check(s"$folder/none")).problems.map(_.code) == Seq("STATE_STORE_NOT_ROCKSDB"))
    } finally spark.conf.set(provider, rocks)
  }

  test("a join stays of its kind") {
    def joined(how: JoinKind) = Windrow.join(stream(input, "a"), stream(input, "b"))(
      on = Seq("id"),
      within = Within("0 minutes", "5 minutes"),
      how = how).rows
    val checkpoint = begun(joined(JoinKind.Left), "joined")
    assert(refused(joined(JoinKind.Full), checkpoint).startsWith("kind `how='left'`"))
  }

  test("a query keeps the clock that it goes by; a share of its messages is above 0 and at most 1") {
    def minutes(early: PaneTrigger) = stream(input).window(Tumbling("1 minute")).trigger(early = early)
      .accumulationMode(Accumulating).aggregate(sum("value").as("sum")).panes
    val checkpoint = begun(minutes(EachBatch), "minutes")
    Windrow.continues(minutes(EachMessage), checkpoint)
    assert(refused(minutes(EveryPeriod("1 minute")), checkpoint).contains("no trigger with a period"))
    for (share <- Seq(0.0, -0.5, 1.5))
      assert(intercept[SpecError](Windrow.advise(
        checkpoint,
        share)).problems.map(_.code) == Seq("SHARE_NOT_UNDERSTOOD"))
    Windrow.advise(checkpoint, 1.0)
  }

  test("the operators of common table expressions are found in the order of their numbers, from the sink on") {
    input.createOrReplaceTempView("marked")
    def minutes(name: String) =
      s"""SELECT * FROM windrow_tumble(TABLE(SELECT id, count(*) AS n FROM marked GROUP BY id), time => 'time',
         |size => '1 minute', lateness => '0 seconds', watermark => '1 minute', stream => '$name')""".stripMargin
    val both = spark.sql(
      s"""WITH first AS (${minutes("a")}), second AS (${minutes("b")}), unused AS (${minutes("c")})
         |SELECT * FROM second UNION ALL SELECT * FROM first""".stripMargin)
    val streams = ResumeCheck.programs(SparkInside.plan(both)).collect { case (_, one: PaneProgram) => one.stream }
    assert(streams == Seq("b", "a"))
  }

  test("a checkpoint without a commit is not read, and gives no warning") {
    val rows       = stream(input).window(Tumbling("1 minute")).aggregate(sum("value").as("sum")).panes
    val checkpoint = begun(rows, "uncommitted")
    assert(Checkpoint.begun(spark, checkpoint).size == 1)
    new java.io.File(s"$checkpoint/commits").listFiles.foreach(_.delete())
    assert(Checkpoint.begun(spark, checkpoint).isEmpty)
    assert(ResumeCheck.check(spark, SparkInside.plan(rows), checkpoint).isEmpty)
  }

  test("a setting of a checkpoint is that of its last batch") {
    val offsets = java.nio.file.Files.createDirectories(java.nio.file.Path.of(s"$folder/set/offsets"))
    for ((batch, value) <- Seq(2 -> "min", 9 -> "max", 10 -> "last"))
      java.nio.file.Files.writeString(offsets.resolve(batch.toString), s"""v1\n{"conf":{"policy":"$value"}}\n-""")
    assert(Checkpoint.begunWith(spark, s"$folder/set", "policy") == Some("last"))
    assert(Checkpoint.begunWith(spark, s"$folder/set", "other").isEmpty)
    assert(Checkpoint.begunWith(spark, s"$folder/not-there", "policy").isEmpty)
  }
}
