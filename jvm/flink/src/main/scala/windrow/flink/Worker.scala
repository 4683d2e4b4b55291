package windrow.flink

import java.nio.file.{Files, Path}
import org.apache.flink.configuration.Configuration
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.util.FileUtils
import scala.io.Source.fromInputStream
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/** Runs a cluster with two slots in this JVM. Reads jobs from the standard input, one line of JSON each, and writes one
  * line per result to the standard output. windrow.benchmarks.Lane uses it.
  */
object Worker {
  private val Sign        = "windrow-bench "
  private val Parallelism = 2
  private val HighWater   = "VmHWM:\\s*(\\d+) kB".r

  def main(words: Array[String]): Unit = {
    require(words.isEmpty, "pass jobs on the standard input, not as arguments")
    fromInputStream(System.in).getLines().foreach { line =>
      println(Sign + (try done(Job.read(line))
      catch { case NonFatal(e) => Job.error(s"$e: ${e.getCause}") }))
    }
  }

  private def done(job: Job): String = {
    val scratch = Files.createTempDirectory("flink")
    try {
      Shared.tables = job.files.map(Events.read)
      Shared.meter = new Meter(job.dropped)
      val environment = cluster(job.state, scratch)
      // The final watermark of Spark, in milliseconds.
      val until = Math.floorDiv(Shared.tables.map(_.latest).min, 1000L) * 1000L - job.delay
      Tasks.rows(job, new Feed(environment, job.delay), until).sinkTo(new Rows)
      environment.execute()
      Shared.meter.reply(Shared.tables.map(_.count - Parallelism * job.dropped).sum, resident)
    } finally FileUtils.deleteDirectoryQuietly(scratch.toFile) // the cluster may still delete its own files
  }

  /** Starts a cluster with Flink's recommended settings: reused objects, no slow generic serializer, managed memory for
    * RocksDB and incremental checkpoints.
    */
  private def cluster(state: String, scratch: Path): StreamExecutionEnvironment = {
    val settings = Map(
      "state.backend.type"                  -> (if (state == "heap") "hashmap" else state),
      "state.backend.rocksdb.localdir"      -> scratch.resolve("rocksdb").toString,
      "execution.checkpointing.interval"    -> "10 s",
      "execution.checkpointing.incremental" -> "true",
      "execution.checkpointing.storage"     -> "filesystem",
      "execution.checkpointing.dir"         -> scratch.resolve("checkpoints").toUri.toString,
      "io.tmp.dirs"                         -> scratch.toString,
      "pipeline.object-reuse"               -> "true",
      "pipeline.generic-types"              -> "false",
      "taskmanager.numberOfTaskSlots"       -> Parallelism.toString,
      "taskmanager.memory.managed.size"     -> "512 mb",
      "taskmanager.memory.network.min"      -> "128 mb",
      "taskmanager.memory.network.max"      -> "128 mb",
      "rest.port"                           -> "0")
    StreamExecutionEnvironment.createLocalEnvironment(Parallelism, Configuration.fromMap(settings.asJava))
  }

  private def resident: Long = {
    val status = Path.of("/proc/self/status")
    if (!Files.exists(status)) 0
    else Files.readAllLines(status).asScala.collectFirst { case HighWater(kilobytes) =>
      kilobytes.toLong / 1024
    }.getOrElse(0)
  }
}
