package windrow.spark.verify

import org.apache.hadoop.conf.Configuration

/** What was found in the folder of a file sink. */
private[verify] final case class SinkLogs(files: Long, bytes: Long, findings: Seq[Finding])

/** The log that Spark's file sink keeps in `_spark_metadata` of its folder: readers of the folder take the files that it
  * names, and no others.
  */
private[verify] object SinkLogs {
  private val Log = "_spark_metadata"

  /** @param committed
    *   the last batch of the query
    */
  def apply(settings: Configuration, output: String, committed: Option[Long]): SinkLogs = {
    val log      = Folder.list(settings, s"$output/$Log")
    val contents = new Contents(log, Form.ofSink, deep = false)
    val found    = Findings(contents, needs(contents, committed), Map.empty)
    SinkLogs(
      log.all.size.toLong,
      log.all.map(_.size).sum,
      found.map(one => one.copy(file = s"$output/$Log/${one.file}")))
  }

  private def needs(contents: Contents, committed: Option[Long]): Seq[Need] = {
    val logs  = contents.forms.values.collect { case log: Form.SinkLog => log }.toSeq
    val end   = (logs.map(_.number) ++ committed).maxOption
    val start = logs.filter(_.isCompact).map(_.number).maxOption.getOrElse(0L)
    end.toSeq.flatMap(Numbers.range(start, _, logs.size)).map(number =>
      Need(
        logs.find(_.number == number).fold(number.toString)(contents.nameOf),
        Some(number),
        "readers of the folder do not find its files"))
  }
}
