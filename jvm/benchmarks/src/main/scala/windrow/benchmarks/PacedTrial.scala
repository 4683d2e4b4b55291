package windrow.benchmarks

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.benchmarks.queries.{Amount, Keyed, Source}

/** A rate at which events arrive by the clock.
  *
  * @param perSecond
  *   events per second
  * @param seconds
  *   duration, of which the first third is not measured
  */
final case class Pace(perSecond: Int, seconds: Int) {

  /** The total number of events, and the approximate number in a batch. */
  def amount: Amount = Amount(perSecond.toLong * seconds, perSecond.toLong)
}

/** Measures latency: the time from the arrival of an event to the end of its batch, with a batch each second. */
final class PacedTrial(session: SparkSession, trial: Trial) {
  private val Observed = "arrivals"

  def run(pace: Pace, answer: Map[String, DataFrame] => Answer): Measured = {
    val events = session.readStream.format("rate").option("rowsPerSecond", pace.perSecond.toLong).load()
      .select(
        col("timestamp").as("ts"),
        pmod(xxhash64(col("value")), lit(PacedTrial.Keys)).as("key"),
        pmod(col("value"), lit(1000)).as("value"))
      .observe(Observed, min(unix_millis(col("ts"))).as("first"), max(unix_millis(col("ts"))).as("last"), count(lit(1)))
    val batches = trial.timed(answer(Map("events" -> events)), Trigger.ProcessingTime("1 second")) { query =>
      query.awaitTermination(pace.seconds * 1000L)
      query.stop()
    }
    measured(pace, batches.drop(batches.size / 3))
  }

  private def measured(pace: Pace, batches: Seq[Batch]): Measured = {
    val full   = batches.filter(_.progress.numInputRows > 0)
    val events = full.tail.map(_.progress.numInputRows).sum
    val millis = full.map(batch => Trial.duration(batch.progress))
    Trial.measured(
      full,
      (full.last.cpuNanos - full.head.cpuNanos) / 1000.0 / events,
      events * 1000.0 / millis.tail.sum,
      millis,
      Some(Trial.percentile(full.flatMap(waits(pace, _)), 0.99)))
  }

  /** Returns a hundred samples of the latency for each second's events of a batch, whose arrivals are evenly
    * distributed between the first and the last.
    */
  private def waits(pace: Pace, batch: Batch): Seq[Double] = {
    val samples       = math.max(2, batch.progress.numInputRows * 100 / pace.perSecond).toInt
    val came          = batch.progress.observedMetrics.get(Observed)
    val ended         = java.time.Instant.parse(batch.progress.timestamp).toEpochMilli + Trial.duration(batch.progress)
    val (first, last) = (came.getLong(0), came.getLong(1))
    (0 until samples).map(i => ended - (first + (last - first) * i / (samples - 1.0)))
  }
}

object PacedTrial {
  private val Keys = 50000L

  /** The same columns as in files, with a watermark delay of a second. */
  val source: Source = Keyed.steady("paced", Keys).copy(delay = 1)
}
