package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.Row
import org.apache.spark.sql.ForeachWriter
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import org.apache.spark.sql.streaming._
import scala.util.Try

/** Spark's real-time mode (docs/real-time.md). This suite fails when Spark mends what stands in the way: then look again. */
class RealTimeSuite extends SparkSuite {
  private val source = "org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream$"

  /** Why a query in real-time mode ends, by Spark's own code. */
  private def endOf(query: DataFrame): String = {
    val trigger =
      classOf[Trigger].getMethod("RealTime", classOf[Long]).invoke(null, Long.box(3000L)).asInstanceOf[Trigger]
    val started =
      query.writeStream.outputMode("update").option("checkpointLocation", SparkSuite.folder()).trigger(trigger)
        .foreach(RealTimeSuite.Nowhere).start()
    try {
      val ended = Try(started.awaitTermination(60000)).failed.toOption.getOrElse(fail("it runs"))
      ended.getMessage.split("exception: ").last.takeWhile(_ != ' ')
    } finally started.stop()
  }

  test("Spark 4.3.0 starts no `transformWithState` in real-time mode, whoever wrote its processor") {
    assume(Try(Class.forName(source)).isSuccess, "this Spark has no real-time mode")
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set("spark.sql.streaming.realTimeMode.minBatchDuration", "3000")
    session.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    session.conf.set("spark.sql.streaming.stateStore.checkpointFormatVersion", "2")
    val module = Class.forName(source)
    val stream = module.getMethod("apply", classOf[SparkSession], classOf[Int], classOf[Encoder[_]])
      .invoke(module.getField("MODULE$").get(null), session, Int.box(1), implicitly[Encoder[String]])
    val words = stream.getClass.getMethod("toDF").invoke(stream).asInstanceOf[DataFrame].as[String]
    val plain =
      words.groupByKey(identity).transformWithState(new RealTimeSuite.Counts, TimeMode.None, OutputMode.Update)
    words.toDF("word").selectExpr("word", "current_timestamp() AS time").createOrReplaceTempView("words")
    val panes = session.sql("""SELECT * FROM windrow_tumble(TABLE(SELECT word, count(*) FROM words GROUP BY word),
      time => 'time', size => '1 minute', watermark => '0 seconds', lateness => '0 seconds', early => 'each_message',
      accumulate => 'accumulating')""")
    spark.sparkContext.setLogLevel("OFF") // two traces that are expected
    val both =
      try Seq(plain.toDF(), panes).map(endOf)
      finally spark.sparkContext.setLogLevel("ERROR")
    assert(both == Seq.fill(2)("[STDS_FAILED_TO_READ_OPERATOR_METADATA]"))
  }
}

object RealTimeSuite {
  final class Counts extends StatefulProcessor[String, String, Long] {
    @transient private var seen: ValueState[Long] = _

    override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
      seen = getHandle.getValueState("seen", Encoders.scalaLong, TTLConfig.NONE)

    override def handleInputRows(key: String, rows: Iterator[String], timers: TimerValues): Iterator[Long] =
      rows.map { _ =>
        seen.update(seen.get() + 1)
        seen.get()
      }
  }

  object Nowhere extends ForeachWriter[Row] {
    def open(partition: Long, epoch: Long): Boolean = true
    def process(row: Row): Unit                     = ()
    def close(error: Throwable): Unit               = ()
  }
}
