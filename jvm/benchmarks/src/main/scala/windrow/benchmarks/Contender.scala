package windrow.benchmarks

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming._
import windrow.spark.shards.ShardPlan

/** One way to do a workload. All read the same files with the same watermark and write to the same sink. */
sealed abstract class Contender(val name: String) {

  /** @param events
    *   ts, key, value
    */
  def query(events: DataFrame, windows: Windows): DataFrame

  /** The rows of a query that must be those of a plain computation; None: it computes nothing. */
  def results(query: DataFrame): Option[DataFrame] = None
}

object Contender {
  val all: Seq[Contender] = Seq(Windrow, SparkOwn, Floor, Reading)

  /** Windrow with all switched off, and with each thing on that a pane on time does not need. */
  val firings: Seq[Contender] = Seq(
    Windrow,
    PaneState("early", "early => 'each_step', lateness => '0 seconds', accumulate => 'accumulating'"),
    PaneState("late", "lateness => '60 seconds', accumulate => 'accumulating'"),
    PaneState(
      "retracting",
      "early => 'each_step', lateness => '60 seconds', accumulate => 'accumulating_and_retracting'"))

  private[benchmarks] def marked(events: DataFrame): DataFrame = events.withWatermark("ts", "0 seconds")
}

/** Windrow by its table functions: one pane for each window. */
case object Windrow extends Contender("windrow") {
  def query(events: DataFrame, windows: Windows): DataFrame = called(events, windows, "lateness => '0 seconds'")

  override def results(query: DataFrame): Option[DataFrame] = Some(query)

  def called(events: DataFrame, windows: Windows, firing: String): DataFrame = {
    val (function, arguments) = windows.function
    Contender.marked(events).createOrReplaceTempView("events")
    events.sparkSession.sql(s"""
      SELECT * FROM $function(
        TABLE(SELECT key, count(*) AS n, sum(value) AS total, max(value) AS top FROM events GROUP BY key),
        time => 'ts', $arguments, $firing)""")
  }
}

/** Windrow with more panes than those on time, which stay as they were. */
final case class PaneState(override val name: String, arguments: String) extends Contender(name) {
  def query(events: DataFrame, windows: Windows): DataFrame = Windrow.called(events, windows, arguments)

  override def results(query: DataFrame): Option[DataFrame] =
    Some(query.where("pane.timing = 'ON_TIME' AND NOT pane.is_retraction"))
}

/** Spark's own `window` and `session_window`. */
case object SparkOwn extends Contender("Spark") {
  def query(events: DataFrame, windows: Windows): DataFrame =
    Contender.marked(events).groupBy(col("key"), windows.column.as("window"))
      .agg(count("*").as("n"), sum("value").as("total"), max("value").as("top"))

  override def results(query: DataFrame): Option[DataFrame] = Some(query)
}

/** What the engine takes for itself: every event goes to the shard of its key, where nothing is done. */
case object Floor extends Contender("floor") {
  private implicit val shardEncoder: Encoder[Int]       = Encoders.scalaInt
  private implicit val eventEncoder: Encoder[Event]     = Encoders.product
  private implicit val nothingEncoder: Encoder[Boolean] = Encoders.scalaBoolean

  def query(events: DataFrame, windows: Windows): DataFrame = {
    val shards = events.sparkSession.conf.get(ShardPlan.Setting, ShardPlan.Default.toString).toInt
    Contender.marked(events)
      .select(
        pmod(hash(col("key")), lit(shards)).as("shard"),
        unix_micros(col("ts")).as("micros"),
        col("key"),
        col("value"))
      .groupBy("shard").as[Int, Event]
      .transformWithState(new Idle, TimeMode.EventTime, OutputMode.Append)
      .toDF()
  }
}

final case class Event(micros: Long, key: Long, value: Long)

/** Takes its rows and does nothing. */
final class Idle extends StatefulProcessor[Int, Event, Boolean] {
  def init(outputMode: OutputMode, timeMode: TimeMode): Unit = ()

  def handleInputRows(shard: Int, rows: Iterator[Event], timers: TimerValues): Iterator[Boolean] = {
    rows.foreach(_ => ())
    Iterator.empty
  }
}

/** Reading alone. */
case object Reading extends Contender("reading") {
  def query(events: DataFrame, windows: Windows): DataFrame = Contender.marked(events)
}
