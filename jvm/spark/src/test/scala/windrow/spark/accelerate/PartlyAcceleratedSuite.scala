package windrow.spark.accelerate

import org.apache.spark.sql.functions.{col, window}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import org.scalatest.tags.Slow
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Restarts queries of which Windrow runs some operators and Spark the others (SEMANTICS R98). */
@Slow
final class PartlyAcceleratedSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val events: Encoder[Event]     = Encoders.product[Event]

  private def codes(query: StreamingQuery): Seq[String] =
    Windrow.explainAcceleration(query).operators.map(_.reason.fold("accelerated")(_.code))

  test("after a restart Windrow runs the operators that it ran before, though it could run others") {
    val zones = Iterator("Europe/Berlin", "UTC")
    val day =
      "SELECT x.time, x.v FROM t0 x JOIN t1 y ON x.k = y.k AND y.time BETWEEN x.time AND x.time + INTERVAL 1 DAY"
    def query(session: SparkSession) = {
      session.conf.set("spark.sql.session.timeZone", zones.next())
      session.sql(s"$day UNION ALL SELECT window.end, count(*) FROM t0 GROUP BY window(time, '20 seconds')")
    }
    val zone = spark.conf.get("spark.sql.session.timeZone")
    try {
      val input = Seq(Compared.events(7, 4, 30), Compared.events(8, 4, 30))
      val ran   = new Compared(spark, "append", "5 seconds", input, query).run(Seq(0 -> true, 2 -> true))
      val codes = ran.starts.map(_.operators.map(_.reason.fold("accelerated")(_.code)))
      assert(codes == Seq(Seq("JOIN_RANGE_OF_DAYS", "accelerated"), Seq("CHECKPOINT_OF_SPARK", "accelerated")))
      assert(ran.batches(3).nonEmpty)
    } finally spark.conf.set("spark.sql.session.timeZone", zone)
  }

  test("a query starts again if Spark's state reader cannot read its checkpoint") {
    for ((name, fails) <- Seq("checkpoint" -> true, "my checkpoint" -> false)) {
      val checkpoint = s"${SparkSuite.folder()}/$name"
      val source     = MemoryStream[Event]
      var isFirst    = fails
      val counts = source.toDF().withWatermark("time", "5 seconds").dropDuplicates("k")
        .groupBy(window(col("time"), "20 seconds")).count()
      def run(rows: Seq[Event]): Unit = {
        val query = counts.writeStream.outputMode("append").option("checkpointLocation", checkpoint)
          .foreachBatch { (batch: DataFrame, _: Long) =>
            batch.collect()
            if (isFirst) { isFirst = false; throw new IllegalStateException("planned failure") }
          }.start()
        try {
          assert(codes(query) == Seq("accelerated", "DEDUP_WITHOUT_TIME"))
          source.addData(rows)
          query.processAllAvailable()
        } finally query.stop()
      }
      spark.conf.set(AccelerationRule.Setting, "true")
      try {
        val batches = Compared.events(7, 3)
        if (fails) { intercept[StreamingQueryException](run(batches.head)); () }
        batches.foreach(run)
      } finally spark.conf.unset(AccelerationRule.Setting)
    }
  }
}
