package windrow.benchmarks

/** What Flink is told to do.
  *
  * @param files
  *   of each table, as PlainFiles writes them
  * @param delay
  *   microseconds that watermarks are behind
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

/** How a process is asked to run a workload. */
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
