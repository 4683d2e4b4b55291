package windrow.benchmarks

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.UUID
import java.util.concurrent.CountDownLatch
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.{StreamingQueryListener, StreamingQueryProgress, Trigger}
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/** The rows of a query and its output mode.
  *
  * @param reads
  *   how often the query reads each event
  */
final case class Answer(rows: DataFrame, mode: String = "append", reads: Int = 1)

/** Runs a query over all existing files, and measures it batch by batch. */
final class Trial(scratch: Path) {

  /** Runs and measures a query. Does not measure the first batches, in which classes are loaded and state is small, nor
    * output after the last events, so that input and output cover equally many batches.
    */
  def run(answer: Answer): Measured = {
    val batches = timed(answer, Trigger.AvailableNow())(_.awaitTermination())
    val full    = batches.filter(_.progress.numInputRows > 0)
    require(full.size > Trial.Dropped, s"${full.size} batches are too few to measure")
    val counted = full.drop(Trial.Dropped).map(_.progress)
    val events  = counted.map(_.numInputRows).sum / answer.reads
    val cpu     = full.last.cpuNanos - full(Trial.Dropped - 1).cpuNanos
    val millis  = counted.map(Trial.duration)
    Trial.measured(batches, cpu / 1000.0 / events, events * 1000.0 / millis.sum, millis)
  }

  /** Returns every batch with the CPU time that the process had used by its end. */
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

  /** The resident memory in megabytes; 0 if the system does not report it. */
  private def resident: Long = {
    val status = Path.of("/proc/self/status")
    if (!Files.exists(status)) 0
    else Files.readAllLines(status).asScala.collectFirst { case HighWater(kilobytes) => kilobytes.toLong / 1024 }
      .getOrElse(0)
  }
}

/** @param cpuNanos
  *   CPU time of the process since its start, at the end of the batch
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
