package windrow.spark.pack

import java.sql.Timestamp
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.{DataFrame, classic}
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests that sorted rows are shuffled once, because a second shuffle would destroy their order (SEMANTICS R76). */
class SortStepSuite extends SparkSuite {
  test("a restart with another number of shuffle partitions puts no shuffle above the order") {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false")
    val folder = SparkSuite.folder()
    val input  = MemoryStream[(Timestamp, String)]
    input.toDF().toDF("time", "key").createOrReplaceTempView("orders")
    for (partitions <- Seq(3, 1, 5)) {
      session.conf.set("spark.sql.shuffle.partitions", partitions.toString)
      val panes = session.sql("""SELECT * FROM windrow_tumble(TABLE(SELECT key, count(*) n FROM orders GROUP BY key),
        time => 'time', size => '1 minute', watermark => '0 seconds', lateness => '0 seconds',
        early => 'each_message', accumulation_mode => 'accumulating')""")
      val query = panes.writeStream.option("checkpointLocation", folder)
        .foreachBatch((batch: DataFrame, _: Long) => { batch.collect(); () }).start()
      try {
        input.addData((new Timestamp(1), "a"))
        query.processAllAvailable()
        val plan                    = SparkSuite.executedPlan(query)
        val ordered                 = plan.collectFirst { case step: SortStepExec => step }.get
        def shuffles(of: SparkPlan) = of.collect { case one: ShuffleExchangeExec => one }
        assert(shuffles(plan).size == 1 && shuffles(ordered).size == 1, s"with $partitions partitions")
        assert(shuffles(plan).head.numPartitions == 3)
      } finally query.stop()
    }
  }
}
