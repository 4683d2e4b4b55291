package windrow.spark.accelerate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.spark.version.SparkVersion
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Compares unchanged deduplications on Spark and on Windrow (SEMANTICS R97). */
final class DedupSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val events: Encoder[Event]     = Encoders.product[Event]

  private def compared(input: Seq[Seq[Seq[Event]]], delay: String)(query: DataFrame => DataFrame) =
    new Compared(spark, "append", delay, input, session => query(session.table("t0")))

  private def table: DataFrame = MemoryStream[Event].toDF().withWatermark("time", "5 seconds")

  private def codes(df: DataFrame): Seq[String] =
    Windrow.explainAcceleration(df).operators.map(_.reason.fold("accelerated")(_.code))

  /** A row at a second after 2020-01-01 00:00:00 UTC. */
  private def at(second: Int, key: String, v: Long, d: Double = 0): Event =
    Event(0, new java.sql.Timestamp(1577836800000L + second * 1000L), key, v, d, b = true)

  private def timeless(key: String, v: Long) = at(0, key, v).copy(time = null)

  private def values(ran: Ran): Map[Long, Seq[Long]] =
    ran.batches.map { case (batch, rows) => batch -> rows.map(_.getAs[Long]("v")).sorted }.filter(_._2.nonEmpty)

  test("dropDuplicatesWithinWatermark: a key returns once the watermark reaches its time plus the delay") {
    val input = Seq(Seq(
      Seq(at(10, "a", 1), at(30, "b", 2), at(12, "a", 3)), // W = 20
      Seq(at(20, "c", 4), at(21, "a", 5), at(20, "a", 6)), // c is late, because Spark compares with <=
      Seq(at(29, "e", 7), at(31, "b", 8)),
      Seq(at(50, "f", 9)),  // W = 40, so b leaves in the micro-batch after this one
      Seq(at(41, "b", 10)), // b has left at 40, and is kept until 51
      Seq(at(62, "b", 11)), // a duplicate
      Seq(at(60, "b", 12))
    )) // W = 52
    val query     = compared(input, "10 seconds")(_.dropDuplicatesWithinWatermark("k"))
    val (off, on) = (query.off, query.on)
    assert(on.codes == Seq("accelerated"), on.decisions)
    assert(on.differsFrom(off).isEmpty && on.dropped == off.dropped && off.dropped >= 2)
    assert(values(on).values.flatten.toSeq.sorted == Seq(1, 2, 5, 7, 9, 10, 12))
  }

  full("rows without a time are never late, and their keys leave with the first micro-batch after the watermark") {
    val input = Seq(Seq(
      Seq(timeless("a", 1), at(30, "a", 2), timeless("b", 3), timeless("b", 4)),
      Seq(at(40, "b", 5), timeless("a", 6), timeless("a", 7), at(41, "a", 8)),
      Seq(timeless("a", 9), timeless(null, 10), timeless(null, 11), timeless("b", 12))))
    Seq[DataFrame => DataFrame](
      _.dropDuplicatesWithinWatermark("k"),
      _.dropDuplicates("k", "time")).foreach { how =>
      val query     = compared(input, "10 seconds")(how)
      val (off, on) = (query.off, query.on)
      assert(on.codes == Seq("accelerated"), on.decisions)
      assert(on.differsFrom(off).isEmpty && on.dropped == off.dropped, s"${on.batches}")
    }
  }

  test("keys are equal as for the version of Spark: zeros, NaN, nested values") {
    val not = java.lang.Double.longBitsToDouble(0x7ff8000000000123L)
    val rows = Seq(0.0, -0.0, Double.NaN, not, 0.0, -0.0).zipWithIndex.map { case (d, i) =>
      at(i % 2, "a", i.toLong, d)
    }
    val input                 = Seq(Seq(rows, rows.reverse.map(row => row.copy(v = row.v + 10))))
    def nested(df: DataFrame) = df.withColumn("n", struct(array("d"), col("k"))).drop("d")
    Seq[DataFrame => DataFrame](
      _.dropDuplicatesWithinWatermark("d"),
      _.dropDuplicates("d", "time"),
      nested(_).dropDuplicatesWithinWatermark("n"),
      nested(_).dropDuplicates("n", "time").drop("n")).take(if (SparkVersion.is40) 2 else 4).foreach { how =>
      val query     = compared(input, "10 seconds")(how)
      val (off, on) = (query.off, query.on)
      assert(on.codes == Seq("accelerated"), on.decisions)
      assert(values(on) == values(off) && off.rows > 0)
    }
  }

  private val twenty = window(col("time"), "20 seconds")

  private def later: DataFrame =
    session.table("t1").select(col("time").as("time2"), col("k").as("k2"), col("v").as("v2"))

  private def joined(rows: DataFrame, how: String): DataFrame =
    rows.join(later, expr("k = k2 AND time2 BETWEEN time AND time + INTERVAL 10 SECONDS"), how)

  /** Queries whose rows depend only on the keys of each micro-batch. Spark does not define the order of the rows of other
    * operators, so a deduplication above one has all columns that matter as keys.
    */
  private val plans = Seq[DataFrame => DataFrame](
    _.dropDuplicates(),
    _.dropDuplicatesWithinWatermark(),
    _.dropDuplicatesWithinWatermark("v").dropDuplicates("k", "time"),
    _.dropDuplicatesWithinWatermark("k", "v").groupBy(twenty, col("k")).agg(count("*"), max("v")),
    _.groupBy(twenty, col("k")).count().dropDuplicates("count", "window").select("count", "window"),
    _.groupBy(twenty, col("k")).count().select(window_time(col("window")).as("at")).dropDuplicatesWithinWatermark("at"),
    rows => joined(rows.dropDuplicatesWithinWatermark("v"), "inner").select("k", "time", "v", "v2"),
    joined(_, "left_outer").select("k", "time", "v").dropDuplicatesWithinWatermark())

  test("random rows, with a restart, all columns as keys, several deduplications, and other operators around them") {
    val delays = if (isFull) Seq("10 seconds", "0 seconds") else Seq("10 seconds")
    val plans  = if (isFull) this.plans else this.plans.slice(3, 5) // more in ShapesSuite
    for ((delay, seed) <- delays.zipWithIndex) {
      val query = compared((0 to 1).map(i => Compared.events(seed * 10L + i, 5, 40)), delay)(rows =>
        plans.zipWithIndex.map { case (plan, i) =>
          plan(rows).select(lit(i).as("v"), to_json(struct("*")).as("row"))
        }.reduce(_.union(_)))
      val (off, on) = (query.run(Seq(0 -> false, 3 -> false)), query.run(Seq(0 -> true, 3 -> true)))
      assert(on.differsFrom(off).isEmpty)
      assert(on.codes.forall(_ == "accelerated"), on.decisions)
      plans.indices.foreach(i => assert(off.batches.values.flatten.exists(_.getInt(0) == i), i))
    }
  }

  full("a window above a deduplication, in mode update") {
    val query = new Compared(
      spark,
      "update",
      "10 seconds",
      Seq(Compared.events(4, 6)),
      _.table("t0").dropDuplicatesWithinWatermark("v").groupBy(twenty).agg(count("*"), sum("v")))
    val (off, on) = (query.off, query.on)
    assert(on.codes == Seq("accelerated", "accelerated"), on.decisions)
    assert(on.differsFrom(off).isEmpty && off.rows > 10)
  }

  test("deduplications that stay have a reason") {
    assert(codes(table.dropDuplicates("k")) == Seq("DEDUP_WITHOUT_TIME"))
    assert(codes(MemoryStream[Event].toDF().dropDuplicates("k", "time")) == Seq("DEDUP_WITHOUT_TIME"))
    assert(codes(MemoryStream[Event].toDF().dropDuplicatesWithinWatermark("k")) == Seq("NOT_SUPPORTED_BY_SPARK"))
    val counts = table.groupBy(window(col("time"), "1 minute"), col("k")).count()
    assert(codes(counts.dropDuplicatesWithinWatermark("k")) == Seq("OPERATOR_NOT_ACCELERATED", "OPERATOR_ABOVE_KEPT"))
    val other = table.select(col("time").as("time2"), col("k").as("k2"))
    val pairs = table.join(other, expr("k = k2 AND time2 BETWEEN time AND time + INTERVAL 1 MINUTE"))
    assert(codes(pairs.dropDuplicates("k", "time")).head == "NOT_SUPPORTED_BY_SPARK")
    val lower = table.select(col("time"), expr("k COLLATE UTF8_LCASE AS k"))
    assert(codes(lower.dropDuplicates("k", "time")) == Seq("KEY_NOT_BINARY"))
  }

  test("the setting for rejected rows does not change the decision about a deduplication") {
    val windows = table.groupBy(window(col("time"), "1 minute")).count().withColumn("at", window_time(col("window")))
    def decided = codes(windows.dropDuplicates("window").select("window", "count"))
    assert(decided == Seq("accelerated", "accelerated"))
    spark.conf.set(AcceleratedSettings.Rejected, SparkSuite.folder())
    try assert(decided == Seq("accelerated", "accelerated"))
    finally spark.conf.unset(AcceleratedSettings.Rejected)
  }
}
