package windrow.spark

import java.util.concurrent.CountDownLatch
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.tags.Slow
import scala.collection.mutable
import windrow._

/** Tests a bounded run that completes every window (SEMANTICS R71). */
@Slow
final class FinalRunSuite extends SparkSuite {
  private val folder = SparkSuite.folder()

  private def run(sink: Each): StreamingQuery = {
    val read =
      spark.readStream.schema("time timestamp, value bigint").option("maxFilesPerTrigger", 1).json(s"$folder/in")
    Windrow.stream(read, time = "time", watermark = Some("0 seconds")).lateness("1 hour").window(Tumbling("1 minute"))
      .accumulationMode(Accumulating).aggregate(sum("value").as("total"))
      .start(s"$folder/checkpoint", panes = Some(sink), queryTrigger = Some(Trigger.AvailableNow()), drain = true)
  }

  test("a query that is stopped in a batch of its first part receives no end, and continues at the next start") {
    for (n <- 0 to 2) spark.range(1).coalesce(1).selectExpr(s"timestamp_seconds($n * 60) time", s"${n}L value")
      .write.mode("append").json(s"$folder/in")
    val stopped = run(Each { (_, _) =>
      val one = spark.streams.active.head
      new Thread(() => one.stop()).start()
      new CountDownLatch(1).await() // until Spark interrupts it
    })
    def lines = spark.read.text(s"$folder/checkpoint/windrow/end").count()
    assert(!stopped.isActive && lines == 0)
    val totals = mutable.Buffer.empty[Long]
    run(Each { (rows, _) => totals ++= rows.select("total").collect().map(_.getLong(0)); () }).awaitTermination()
    assert(totals.sorted == Seq(0, 1, 2) && lines == 1)
  }
}
