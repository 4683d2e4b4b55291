package windrow.benchmarks

import java.io.{File, PrintWriter}
import java.lang.management.ManagementFactory
import java.nio.file.Path
import scala.io.Source.fromInputStream
import scala.jdk.CollectionConverters._

/** A process that does jobs, one after another, and is warm from the second job on. */
final class Lane(command: Seq[String]) extends AutoCloseable {
  private val process = new ProcessBuilder(command.asJava).redirectError(ProcessBuilder.Redirect.INHERIT).start()
  private val jobs    = new PrintWriter(process.getOutputStream, true)
  private val answers = fromInputStream(process.getInputStream).getLines().filter(_.startsWith(Worker.Sign))

  def ask(job: AnyRef): Reply = {
    jobs.println(Text.line(job))
    if (answers.hasNext) Text.read[Reply](answers.next().stripPrefix(Worker.Sign))
    else Reply(error = Some(s"the process ended (${process.waitFor()})"))
  }

  def close(): Unit = {
    jobs.close()
    process.waitFor()
    ()
  }
}

object Lane {
  private val virtual = ManagementFactory.getRuntimeMXBean
  private val java    = Seq(ProcessHandle.current.info.command.get) ++ virtual.getInputArguments.asScala

  /** The folder of Flink's JARs and the peer that runs on them. */
  private val Flink   = Path.of(".build/flink").toAbsolutePath
  private val Clients = "flink-clients-(.+)\\.jar".r

  def flinkVersion: String =
    Flink.toFile.list.collectFirst { case Clients(version) => version }.getOrElse(sys.error(
      s"Flink was not found in $Flink"))

  def spark(settings: Map[String, String]): Lane =
    new Lane(java ++ Seq("-cp", virtual.getClassPath, "windrow.benchmarks.Worker") ++ worded(settings))

  def flink(): Lane = new Lane(java ++ Seq("-cp", s"$Flink${File.separator}*", "windrow.flink.Worker"))

  /** PySpark starts its own JVM, with the same class path and the same heap. */
  def python(settings: Map[String, String]): Lane = {
    val heap = Runtime.getRuntime.maxMemory / 1024 / 1024
    new Lane(Seq(
      sys.env.getOrElse("PYSPARK_PYTHON", "python3"),
      "scripts/bench_worker.py",
      virtual.getClassPath,
      s"${heap}m") ++
      worded(settings))
  }

  private def worded(settings: Map[String, String]) = (BenchSession.Settings ++ settings).map { case (name, value) =>
    s"$name=$value"
  }
}
