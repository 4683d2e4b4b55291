package windrow.benchmarks

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.nio.file.Path
import java.util.UUID
import java.util.concurrent.CountDownLatch
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.Trigger
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/** Rows of a query and the mode in which they come. */
final case class Answer(rows: DataFrame, mode: String = "append")

/** Runs a query over all files that are there, and measures it batch by batch. */
final class Trial(scratch: Path) {

  /** The first batches, in which classes are loaded and state is young, are not measured; nor is what comes after the last
    * events, so that input and output of as many batches are.
    */
  def run(answer: Answer): Measured = {
    val batches = timed(answer, Trigger.AvailableNow())(_.awaitTermination())
    val full    = batches.filter(_.progress.numInputRows > 0)
    require(full.size > Trial.Dropped, s"${full.size} batches are too few to measure")
    val counted = full.drop(Trial.Dropped).map(_.progress)
    val events  = counted.map(_.numInputRows).sum
    val cpu     = full.last.cpuNanos - full(Trial.Dropped - 1).cpuNanos
    val millis  = counted.map(Trial.duration)
    Trial.measured(batches, cpu / 1000.0 / events, events * 1000.0 / millis.sum, millis)
  }

  /** Every batch with what the process had taken by its end. */
  private[benchmarks] def timed(answer: Answer, trigger: Trigger)(
      wait: org.apache.spark.sql.streaming.StreamingQuery => Unit): Seq[Batch] = {
    val streams    = answer.rows.sparkSession.streams
    val clock      = new BatchClock
    val checkpoint = scratch.resolve(UUID.randomUUID.toString)
    val digest     = Digest.columns(answer.rows)
    System.gc()
    streams.addListener(clock)
    try {
      wait(answer.rows.observe(Trial.Observed, digest.head, digest.tail: _*).writeStream.format("noop")
        .outputMode(answer.mode).trigger(trigger).option("checkpointLocation", checkpoint.toString).start())
      clock.ended.await()
    } finally {
      streams.removeListener(clock)
      Folders.delete(checkpoint)
    }
    clock.batches.toSeq
  }
}

object Trial {
  val Dropped           = 2
  private val Observed  = "digest"
  private val HighWater = "VmHWM:\\s*(\\d+) kB".r
  private[benchmarks] def duration(batch: StreamingQueryProgress): Double =
    batch.durationMs.get("triggerExecution").toDouble

  private[benchmarks] def measured(
      batches: Seq[Batch],
      cpu: Double,
      perSecond: Double,
      millis: Seq[Double],
      latency: Option[Double] = None): Measured = Measured(
    cpu,
    perSecond,
    batches.flatMap(batch => Option(batch.progress.observedMetrics.get(Observed))).map(Digest.read)
      .foldLeft(Digest.Empty)(_ + _),
    batches.last.progress.stateOperators.map(_.memoryUsedBytes).sum,
    resident,
    percentile(millis, 0.99),
    latency)

  private[benchmarks] def percentile(values: Seq[Double], part: Double): Double =
    values.sorted.apply(math.min(values.size - 1, (values.size * part).toInt))

  /** In megabytes; 0 where the system does not tell. */
  private def resident: Long = {
    val status = Path.of("/proc/self/status")
    if (!Files.exists(status)) 0
    else Files.readAllLines(status).asScala.collectFirst { case HighWater(kilobytes) => kilobytes.toLong / 1024 }
      .getOrElse(0)
  }
}

/** @param cpuNanos
  *   of the process, since its start, when the batch had ended
  */
private[benchmarks] final case class Batch(progress: StreamingQueryProgress, cpuNanos: Long)

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
