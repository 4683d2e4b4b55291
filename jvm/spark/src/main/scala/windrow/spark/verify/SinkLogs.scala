package windrow.spark.verify

import org.apache.hadoop.conf.Configuration

/** The findings in the folder of a file sink. */
private[verify] final case class SinkLogs(files: Long, bytes: Long, findings: Seq[Finding])

/** Verifies the log of Spark's file sink in `_spark_metadata`. Readers of the folder read only the files that this log
  * names.
  */
private[verify] object SinkLogs {
  private val Log = "_spark_metadata"

  /** Verifies the log.
    *
    * @param committed
    *   the last committed micro-batch of the query
    */
  def apply(settings: Configuration, output: String, committed: Option[Long]): SinkLogs = {
    val log      = Folder.list(settings, s"$output/$Log")
    val contents = new FolderContents(log, FileKind.ofSink, deep = false)
    val found    = Findings(contents, needs(contents, committed), Map.empty)
    SinkLogs(
      log.all.size.toLong,
      log.all.map(_.size).sum,
      found.map(one => one.copy(file = s"$output/$Log/${one.file}")))
  }

  private def needs(contents: FolderContents, committed: Option[Long]): Seq[RequiredFile] = {
    val logs  = contents.forms.values.collect { case log: FileKind.SinkLog => log }.toSeq
    val end   = (logs.map(_.number) ++ committed).maxOption
    val start = logs.filter(_.isCompact).map(_.number).maxOption.getOrElse(0L)
    end.toSeq.flatMap(FileNumbers.range(start, _, logs.size)).map(number =>
      RequiredFile(
        logs.find(_.number == number).fold(number.toString)(contents.nameOf),
        Some(number),
        "readers of the folder do not find its files"))
  }
}
