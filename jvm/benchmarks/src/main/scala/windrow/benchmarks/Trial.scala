package windrow.benchmarks

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.util.UUID
import java.util.concurrent.CountDownLatch
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.Trigger
import scala.collection.mutable.ArrayBuffer

/** What a query took.
  *
  * @param cpu
  *   microseconds of the whole process, user and system, for each event
  * @param perSecond
  *   events a second of wall-clock time
  * @param rows
  *   rows that came out, of all batches
  * @param stateBytes
  *   of state after the last batch, as Spark reports it
  */
final case class Measured(cpu: Double, perSecond: Double, rows: Long, stateBytes: Long)

/** Runs a query over all files that are there, and measures it batch by batch. */
final class Trial(scratch: Path) {

  /** The first batches, in which classes are loaded and state is young, are not measured; nor is what comes after the last
    * events, so that input and output of as many batches are.
    */
  def run(query: DataFrame): Measured = {
    val batches = timed(query)
    val full    = batches.filter(_.progress.numInputRows > 0)
    require(full.size > Trial.Dropped, s"${full.size} batches are too few to measure")
    val events = full.drop(Trial.Dropped).map(_.progress.numInputRows).sum
    val cpu    = full.last.cpuNanos - full(Trial.Dropped - 1).cpuNanos
    val millis = full.drop(Trial.Dropped).map(_.progress.durationMs.get("triggerExecution").toLong).sum
    Measured(
      cpu / 1000.0 / events,
      events * 1000.0 / millis,
      batches.map(_.progress.sink.numOutputRows).sum,
      batches.last.progress.stateOperators.map(_.memoryUsedBytes).sum)
  }

  private def timed(query: DataFrame): Seq[Batch] = {
    val streams    = query.sparkSession.streams
    val clock      = new BatchClock
    val checkpoint = scratch.resolve(UUID.randomUUID.toString)
    System.gc()
    streams.addListener(clock)
    try {
      query.writeStream.format("noop").outputMode("append").trigger(Trigger.AvailableNow)
        .option("checkpointLocation", checkpoint.toString).start().awaitTermination()
      clock.ended.await()
    } finally {
      streams.removeListener(clock)
      Folders.delete(checkpoint)
    }
    clock.batches.toSeq
  }
}

object Trial {
  val Dropped = 2
}

/** @param cpuNanos
  *   of the process, since its start, when the batch had ended
  */
private final case class Batch(progress: StreamingQueryProgress, cpuNanos: Long)

private final class BatchClock extends StreamingQueryListener {
  private val process = ManagementFactory.getOperatingSystemMXBean.asInstanceOf[OperatingSystemMXBean]
  val batches         = ArrayBuffer.empty[Batch]
  val ended           = new CountDownLatch(1)

  def onQueryStarted(event: QueryStartedEvent): Unit = ()
  def onQueryProgress(event: QueryProgressEvent): Unit = {
    batches += Batch(event.progress, process.getProcessCpuTime); ()
  }
  def onQueryTerminated(event: QueryTerminatedEvent): Unit = ended.countDown()
}
