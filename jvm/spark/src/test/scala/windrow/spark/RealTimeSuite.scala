package windrow.spark

import java.util.concurrent.ConcurrentLinkedQueue
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, ForeachWriter, Row, SparkSession, classic}
import org.scalatest.concurrent.Eventually._
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import windrow.spark.version.SparkVersion

/** Tests Spark's real-time mode (docs/project/real-time.md), which exists from Spark 4.3 on. */
class RealTimeSuite extends SparkSuite {
  private val source = "org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream$"

  /** Feeds words to a query in real-time mode and waits until it has emitted `count` rows. */
  private def rowsOf(words: AnyRef, query: DataFrame, count: Int): Set[Row] = {
    val trigger =
      classOf[Trigger].getMethod("RealTime", classOf[Long]).invoke(null, Long.box(3000L)).asInstanceOf[Trigger]
    val add = words.getClass.getMethods.find(method =>
      method.getName == "addData" && method.getParameterTypes.toSeq == Seq(classOf[IterableOnce[_]])).get
    RealTimeSuite.came.clear()
    val started =
      query.writeStream.outputMode("update").option("checkpointLocation", SparkSuite.folder()).trigger(trigger)
        .foreach(RealTimeSuite.Kept).start()
    try {
      add.invoke(words, Seq("a", "b", "a"))
      eventually(timeout(60.seconds), interval(100.millis)) {
        started.exception.foreach(throw _)
        assert(RealTimeSuite.came.size >= count)
      }
    } finally started.stop()
    RealTimeSuite.came.asScala.toSet
  }

  test("Spark 4.3.0 runs `transformWithState` in real-time mode, and windrow's") {
    assume(SparkVersion.isSince43, "this Spark has no real-time mode with transformWithState")
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set("spark.sql.streaming.realTimeMode.minBatchDuration", "3000")
    session.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    session.conf.set("spark.sql.streaming.stateStore.checkpointFormatVersion", "2")
    session.conf.set("spark.sql.shuffle.partitions", "1") // all tasks of a batch run at the same time, on two cores
    session.conf.set("spark.windrow.shards", "1")
    val module = Class.forName(source)
    def stream() = module.getMethod("apply", classOf[SparkSession], classOf[Int], classOf[Encoder[_]])
      .invoke(module.getField("MODULE$").get(null), session, Int.box(1), implicitly[Encoder[String]])
    def words(of: AnyRef) = of.getClass.getMethod("toDF").invoke(of).asInstanceOf[DataFrame].as[String]
    val plain             = stream()
    val counts =
      words(plain).groupByKey(identity).transformWithState(new RealTimeSuite.Counts, TimeMode.None, OutputMode.Update)
    assert(rowsOf(plain, counts.toDF(), 3) == Set(Row(1L), Row(2L)))
    val ours = stream()
    words(ours).toDF("word").selectExpr("word", "current_timestamp() AS time").createOrReplaceTempView("words")
    val panes = session.sql("""SELECT word, n, pane.index FROM windrow_tumble(
      TABLE(SELECT word, count(*) AS n FROM words GROUP BY word), time => 'time', size => '1 day',
      watermark => '0 seconds', lateness => '0 seconds', early => 'each_message', accumulation_mode => 'accumulating')""")
    assert(rowsOf(ours, panes, 3) == Set(Row("a", 1L, 0L), Row("b", 1L, 0L), Row("a", 2L, 1L)))
  }
}

object RealTimeSuite {
  val came = new ConcurrentLinkedQueue[Row]

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

  object Kept extends ForeachWriter[Row] {
    def open(partition: Long, epoch: Long): Boolean = true
    def process(row: Row): Unit                     = { came.add(row); () }
    def close(error: Throwable): Unit               = ()
  }
}
