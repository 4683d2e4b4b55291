package windrow.spark

import org.apache.spark.sql.functions._
import org.apache.spark.sql.windrow.QueryClock
import org.apache.spark.sql.{Column, DataFrame, Row, classic}
import scala.collection.mutable

/** Runs queries step by step over rows with an id, an event time and a value, with a clock that the test sets. Times are
  * minutes since the beginning of 2025.
  */
private[spark] trait StepByStep extends SparkSuite {
  protected type Input = MemoryStream[(String, Double, Long)]

  implicit protected lazy val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession]

  protected def input(): Input = {
    import session.implicits._
    MemoryStream[(String, Double, Long)]
  }

  protected def table(of: Input): DataFrame = of.toDF().toDF("id", "minute", "value")
    .select(
      col("id"),
      timestamp_micros((col("minute") * 60000000L + StepByStep.Start * 1000000).cast("long")).as("time"),
      col("value"))

  /** The minute of a time, or of the start of a window. */
  protected def minute(time: String): Column =
    ((unix_seconds(col(time)) - StepByStep.Start) / 60).cast("int")

  protected def row(id: String, minute: Double, value: Long = 1): (String, Double, Long) = (id, minute, value)

  /** Starts a query, and stops it at the end of the test. */
  protected def running(stream: DataFrame)(body: StepByStep.Steps => Any): Unit = {
    val steps = new StepByStep.Steps(stream)
    try body(steps): Unit
    finally steps.stop()
  }
}

private[spark] object StepByStep {
  private val Start = 1735689600L

  final class Steps(stream: DataFrame) {
    private val found = mutable.ArrayBuffer.empty[Row]

    private val query = stream.writeStream.option("checkpointLocation", SparkSuite.folder())
      .foreachBatch { (rows: DataFrame, _: Long) => found ++= rows.collect(); () }.start()

    /** Sets the processing time. A test that sets it does so before its first row. */
    def clock(minutes: Double): Unit = QueryClock.set(query, Start * 1000 + (minutes * 60000).toLong)

    /** Adds rows, and returns the output until the watermark includes them. */
    def apply(add: => Unit): Seq[Row] = {
      add
      query.processAllAvailable()
      val rows = found.toSeq
      found.clear()
      rows
    }

    def stop(): Unit = query.stop()
  }
}
