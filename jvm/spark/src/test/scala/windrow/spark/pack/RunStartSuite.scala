package windrow.spark.pack

import java.sql.Timestamp
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Row, classic}
import scala.collection.mutable
import windrow._
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Tests operators of one query with different watermarks. Each starts its run at its own watermark (SEMANTICS S2). */
final class RunStartSuite extends SparkSuite {
  test("a message removed before a longer lateness returns with its row next to an operator by the clock") {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", "false") // the clock's operator always has some
    val (silent, input) = (MemoryStream[Timestamp], MemoryStream[Timestamp])
    val checkpoint      = SparkSuite.folder()
    val reasons         = mutable.Buffer.empty[Row]
    def counted(stream: windrow.spark.Stream, lateness: TimeSpan) =
      stream.lateness(lateness).window(Tumbling("1 minute")).accumulationMode(Accumulating).aggregate(count(
        lit(1)).as("n"))
    def run(lateness: TimeSpan, minutes: Int*): Unit = {
      val clock =
        Windrow.stream(silent.toDF().toDF("time"), time = "time", name = "clock").processingTimeWatermark("1 day")
      val other =
        Windrow.stream(input.toDF().toDF("time"), time = "time", watermark = Some("0 seconds"), name = "other")
      val rows = counted(clock, "1 hour").panes.select(lit("a pane"))
        .union(counted(other, lateness).rejected.select("reason"))
      val query = rows.writeStream.option("checkpointLocation", checkpoint)
        .foreachBatch((batch: org.apache.spark.sql.DataFrame, _: Long) => { reasons ++= batch.collect(); () }).start()
      try minutes.foreach { minute =>
          input.addData(new Timestamp(4102444800000L + minute * 60000L)) // in 2100, far ahead of the clock
          query.processAllAvailable()
        }
      finally query.stop()
    }
    run("0 seconds", 0, 60, 61)
    run("2 hours", 30)
    assert(reasons == Seq(Row("TOO_LATE")))
  }
}
