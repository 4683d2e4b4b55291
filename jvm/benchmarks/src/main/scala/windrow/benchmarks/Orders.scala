package windrow.benchmarks

import windrow.benchmarks.queries.{Amount, EventFiles}

/** A job for Flink.
  *
  * @param files
  *   the files of each table, as PlainFiles writes them
  * @param delay
  *   watermark delay in microseconds
  * @param dropped
  *   events of each source that are not measured
  */
final case class FlinkJob(
    task: String,
    numbers: Map[String, Long],
    state: String,
    files: Seq[String],
    delay: Long,
    dropped: Long)

/** Creates the job by which a process runs a workload. */
object Orders {

  def of(task: String, workload: Workload, contender: Contender, amount: Amount): AnyRef = contender match {
    case InFlink(state) => flink(workload, state, amount)
    case other          => Job(task, workload.name, other.name, amount)
  }

  private def flink(workload: Workload, state: String, amount: Amount): FlinkJob = {
    val task  = workload.question.flink.getOrElse(sys.error(s"Flink does not support ${workload.name}"))
    val files = workload.question.tables.map(table => PlainFiles.of(workload.source, table, amount).toString)
    FlinkJob(
      task.name,
      task.numbers,
      state,
      files,
      workload.source.delay * 1000000L,
      amount.batch * Trial.Dropped / EventFiles.PerBatch / files.size)
  }
}
