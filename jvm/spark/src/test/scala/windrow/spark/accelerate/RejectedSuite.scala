package windrow.spark.accelerate

import java.nio.file.{Files, Path}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, Row, SparkSession}
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import windrow.spark.{MemoryStream, SparkSuite}

/** The rows that each micro-batch of a query dropped, its operators, and its id. */
private final case class Ended(dropped: Map[Long, Long], operators: Set[String], id: String)

/** Tests the files with the rejected rows of accelerated queries (SEMANTICS R155). */
final class RejectedSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val events: Encoder[Event]     = Encoders.product[Event]

  private def set[T](values: (String, String)*)(run: => T): T = {
    val all    = Seq(AccelerationRule.Setting -> "true", "spark.sql.shuffle.partitions" -> "1") ++ values
    val before = all.map { case (name, _) => name -> session.conf.getOption(name) }
    all.foreach { case (name, value) => session.conf.set(name, value) }
    try run
    finally before.foreach { case (name, old) => old.fold(session.conf.unset(name))(session.conf.set(name, _)) }
  }

  /** One query with an operator of each kind; without mode `full`, with windows and a join. Keys distinguish the rows, so that Spark counts late rows one by one. */
  private def all: DataFrame = {
    val t0   = session.table("t0")
    val t1   = session.table("t1")
    val rows = Seq(col("k"), col("v"), col("d"), unix_micros(col("time")).as("at"))
    Seq(
      t0.groupBy(window(col("time"), "20 seconds") +: rows: _*).agg(count("*").cast("string").as("x")).select("x"),
      t0.groupBy(session_window(col("time"), "3 seconds") +: rows: _*).agg(max("b").cast("string").as("x")).select("x"),
      t0.dropDuplicatesWithinWatermark("k", "v").select(col("d").cast("string").as("x")),
      t0.as("a").join(
        t1.as("b"),
        expr("a.k = b.k AND b.time BETWEEN a.time AND a.time + INTERVAL 10 SECONDS"),
        "left_outer").select(col("a.d").cast("string").as("x"))).patch(1, Nil, if (isFull) 0 else 2).reduce(_.union(_))
  }

  /** Runs a query over inputs `t0` and `t1`.
    *
    * @param failing
    *   micro-batches that fail when their rows have been emitted, each once
    * @param restarts
    *   the micro-batches before which the query restarts
    */
  private def run(
      input: Seq[Seq[Seq[Event]]],
      query: => DataFrame,
      failing: Set[Long] = Set.empty,
      restarts: Set[Int] = Set.empty,
      mode: String = "append",
      before: Long => Unit = _ => ()): Ended = {
    val source     = MemoryStream[Event]
    val checkpoint = SparkSuite.folder()
    val left       = mutable.Set.from(failing)
    val dropped    = mutable.Map.empty[Long, Long]
    val operators  = mutable.Set.empty[String]
    var id         = ""
    def start(): StreamingQuery = {
      input.indices.foreach(i =>
        source.toDF().where(s"input = $i").drop("input")
          .withWatermark("time", "5 seconds").createOrReplaceTempView(s"t$i"))
      query.writeStream.outputMode(mode).option("checkpointLocation", checkpoint)
        .foreachBatch { (batch: DataFrame, number: Long) =>
          batch.collect()
          if (left.remove(number)) throw new IllegalStateException(s"planned failure in $number")
        }.start()
    }
    def stop(query: StreamingQuery): Unit = {
      query.recentProgress.filter(_.stateOperators.nonEmpty).foreach { one =>
        dropped(one.batchId) = one.stateOperators.map(_.numRowsDroppedByWatermark).sum
        operators ++= one.stateOperators.map(_.operatorName)
      }
      id = query.id.toString
      query.stop()
    }
    var running = start()
    input.head.indices.foreach { i =>
      if (restarts(i)) { stop(running); running = start() }
      source.addData(input.zipWithIndex.flatMap { case (rows, at) => rows(i).map(_.copy(input = at)) })
      try running.processAllAvailable()
      catch {
        case wrong: Exception if wrong.getMessage.contains("planned failure") =>
          stop(running)
          before(wrong.getMessage.split("planned failure in ").last.takeWhile(_.isDigit).toLong)
          running = start()
          running.processAllAvailable()
      }
    }
    stop(running)
    Ended(dropped.toMap, operators.toSet, id)
  }

  private def read(folder: String): DataFrame = session.read.option("mergeSchema", "true").parquet(folder)

  /** The rejected rows without processing time and query. */
  private def rows(folder: String): Seq[String] =
    read(folder).drop(
      "processing_time",
      "query").select(to_json(struct("*"))).collect().map(_.getString(0)).toSeq.sorted

  private def counts(folder: String): Map[Long, Long] =
    read(folder).where("reason = 'TOO_LATE'").groupBy("batch").count().collect()
      .map(row => row.getInt(0).toLong -> row.getLong(1)).toMap

  private def files(folder: String): Seq[Path] =
    Files.walk(Path.of(folder)).iterator.asScala.filter(Files.isRegularFile(_)).toSeq

  test("every operator writes its rejected rows exactly once, also if a micro-batch fails after they were written") {
    val seeds = if (isFull) Seq(1L, 2L) else Seq(1L)
    seeds.foreach { seed =>
      val input          = (0 to 1).map(i => Compared.events(seed * 10 + i, if (isFull) 6 else 3, 40))
      val (calm, stormy) = (SparkSuite.folder(), SparkSuite.folder())
      def written(to: String) =
        Seq(AcceleratedSettings.Rejected -> to, "spark.sql.shuffle.partitions" -> (if (isFull) "3" else "2"))
      val plain = set(written(calm): _*)(run(input, all))
      assert(plain.operators == Set("transformWithStateExec"))
      val expected = rows(calm)
      assert(counts(calm) == plain.dropped.filter(_._2 > 0) && expected.size > 5)
      if (isFull) {
        val spark = set(AccelerationRule.Setting -> "false", "spark.sql.exchange.reuse" -> "false")(run(input, all))
        assert(plain.dropped.values.sum == spark.dropped.values.sum && spark.operators.size == 4)
      }
      assert(
        read(calm).select("stream").distinct().count() == (if (isFull) 5 else 3),
        "two of them are sides of the join")

      val failing = counts(calm).keySet.take(if (isFull) 100 else 1)
      def stale(batch: Long): Unit = { // a file of an earlier attempt whose rows were other ones
        val folder = files(stormy).map(_.getParent).find(_.endsWith(s"batch=$batch")).get
        val other  = files(calm).find(_.toString.endsWith(".parquet")).get
        Files.copy(other, folder.resolve("accelerated_0-00009.parquet")): Unit
      }
      val failed = set(written(stormy): _*)(run(input, all, failing, before = stale))
      assert(rows(stormy) == expected)
      assert(files(stormy).forall(file => Seq(".parquet", ".parquet.crc").exists(file.toString.endsWith)))
      assert(files(stormy).forall(file => !file.getFileName.toString.startsWith("_")))
      assert(files(stormy).exists(_.getParent.getParent.endsWith(s"query=${failed.id}")))
    }
  }

  private def at(second: Int, key: String, v: Long): Event =
    Event(0, new java.sql.Timestamp(1577836800000L + second * 1000L), key, v, 0.5, b = true)

  private def counted: DataFrame = session.table("t0").groupBy(window(col("time"), "10 seconds"), col("k")).count()

  full("a rejected row has all columns of the input") {
    val folder = SparkSuite.folder()
    val input = Seq(Seq(
      Seq(at(5, "a", 1), at(30, "a", 2), at(31, "a", 3).copy(time = null)),
      Seq(at(3, "b", 4), at(26, "b", 5)),
      Seq(at(60, "c", 6)),
      Seq(at(8, "d", 7), at(9, "d", 8), at(70, "d", 9))))
    val ended = set(AcceleratedSettings.Rejected -> folder)(run(input, counted, restarts = Set(2)))
    def shown(of: DataFrame) = of.select(
      col("batch"),
      col("stream"),
      col("reason"),
      col("watermark"),
      col("message.v"),
      col("message.d"),
      col("message.b"))
      .orderBy("v").collect().toSeq
    def w(second: Int) = new java.sql.Timestamp(1577836800000L + second * 1000L)
    assert(
      shown(read(folder)) == Seq(
        Row(2, "accelerated_0", "TOO_LATE", w(25), 4L, 0.5, true),
        Row(5, "accelerated_0", "TOO_LATE", w(55), 7L, 0.5, true),
        Row(5, "accelerated_0", "TOO_LATE", w(55), 8L, 0.5, true)),
      shown(read(folder)))
    assert(ended.dropped.values.sum == 3)
    // Another checkpoint in the same folder neither changes nor removes anything.
    val before = files(folder).toSet
    set(AcceleratedSettings.Rejected -> folder)(run(Seq(input.head.take(2)), counted))
    assert(before.subsetOf(files(folder).toSet))
    assert(read(folder).groupBy("query").count().collect().map(_.getLong(1)).toSet == Set(3L, 1L))
  }

  test("the folder can be read before a row is rejected") {
    val folder = SparkSuite.folder()
    set(AcceleratedSettings.Rejected -> folder)(run(Seq(Seq(Seq(at(5, "a", 1)))), counted))
    assert(read(folder).count() == 0)
    assert(read(folder).schema("message").dataType.simpleString.contains("v:bigint"))
  }

  test("the setting can change at a restart, and other operators, sessions, and deduplications show whole rows") {
    val folder = SparkSuite.folder()
    val input  = Seq(Seq(Seq(at(5, "a", 1), at(60, "a", 2)), Seq(at(6, "b", 3), at(61, "b", 4)), Seq(at(7, "c", 5))))
    val plans = Seq[DataFrame => DataFrame](
      _.groupBy(session_window(col("time"), "3 seconds"), col("k")).count(),
      _.groupBy(window(col("time"), "10 seconds", "5 seconds"), col("k")).agg(sum("d")),
      _.dropDuplicatesWithinWatermark("k").select("k"))
    plans.takeRight(if (isFull) plans.size else 1).foreach { plan =>
      var starts = 0
      def query = {
        starts += 1
        if (starts == 2) session.conf.set(AcceleratedSettings.Rejected, folder)
        if (starts == 3) session.conf.unset(AcceleratedSettings.Rejected)
        plan(session.table("t0"))
      }
      val ended = set()(run(input, query, restarts = Set(1, 2)))
      session.conf.unset(AcceleratedSettings.Rejected)
      assert(ended.dropped.values.sum == 2)
      assert(read(s"$folder/query=${ended.id}").select("message.v", "message.b", "watermark").collect().toSeq ==
        Seq(Row(3L, true, new java.sql.Timestamp(1577836855000L))))
    }
  }

  test("a folder that cannot be used is an error before the query starts") {
    val file = Files.createTempFile("windrow", "file").toString
    Seq(
      s"$file/below"     -> "FOLDER_NOT_USABLE",
      "nowhere://x/lost" -> "FOLDER_NOT_USABLE").foreach { case (folder, code) =>
      val wrong = intercept[windrow.SpecError](
        set(AcceleratedSettings.Rejected -> folder)(run(Seq(Seq(Seq(at(5, "a", 1)))), counted)))
      assert(wrong.getMessage.contains(code) && wrong.getMessage.contains(AcceleratedSettings.Rejected))
    }
    val void = intercept[windrow.SpecError](set(AcceleratedSettings.Rejected -> SparkSuite.folder())(run(
      Seq(Seq(Seq(at(5, "a", 1)))),
      session.table("t0").withColumn(
        "nothing",
        expr("make_interval(1)")).groupBy(window(col("time"), "10 seconds")).count())))
    assert(void.getMessage.contains("FORMAT_NOT_FOR_ROWS") && void.getMessage.contains("accelerated_0"))
  }

  test("SEMANTICS R155: an older copy of the checkpoint is refused, because it would write rejected rows twice") {
    val folder        = SparkSuite.folder()
    def later(): Unit = Files.createDirectories(files(folder).head.getParent.resolveSibling("batch=99")): Unit
    val refused = intercept[windrow.CheckpointError](set(AcceleratedSettings.Rejected -> folder)(
      run(Seq(Seq(Seq(at(5, "a", 1)), Seq(at(60, "a", 2)))), counted, failing = Set(1), before = _ => later())))
    assert(refused.getMessage.startsWith("[BATCH_OF_THE_PAST]") && refused.getMessage.contains("delete batch=99 in"))
  }
}
