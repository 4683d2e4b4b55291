package windrow.spark.verify

import org.apache.hadoop.conf.Configuration
import windrow.CheckpointError
import windrow.ErrorConditions

/** Reads a whole checkpoint and says what in it is not as it was written; writes nothing, beside a running query too.
  *
  * @param outputs
  *   folders that a file sink of Spark's writes, with its own log
  * @param deep
  *   tables of stores are read even where a checksum stands beside them
  */
private[spark] final class CheckpointVerifier(
    settings: Configuration,
    path: String,
    outputs: Seq[String],
    deep: Boolean) {

  /** What a running query has written or deleted meanwhile looks otherwise the second time.
    *
    * @throws CheckpointError
    *   if there is no checkpoint
    */
  def verify(): Verification = {
    val first = look()
    if (first.findings.isEmpty) first
    else {
      val again = look()
      again.copy(findings = Findings.stillThere(first.findings, again.findings))
    }
  }

  private def look(): Verification = {
    val folder = Folder.list(settings, path)
    if (!isCheckpoint(folder))
      throw new CheckpointError(ErrorConditions.message("CHECKPOINT_NOT_FOUND", "path" -> path))
    val contents = new Contents(folder, Form.of, deep)
    val batches  = Batches(contents)
    val own      = Findings(contents, Needs.of(contents), Sources(contents).wrong)
    val sinks    = outputs.map(output => SinkLogs(settings, output, batches.committed))
    Verification(
      path,
      folder.all.size.toLong + sinks.map(_.files).sum,
      folder.all.map(_.size).sum + sinks.map(_.bytes).sum,
      own ++ sinks.flatMap(_.findings))
  }

  /** A query that ended before its first plan has left its name alone; no state comes before a plan. */
  private def isCheckpoint(folder: Folder): Boolean = {
    def has(part: String): Boolean = folder.all.exists(_.name.startsWith(part))
    has("offsets/") || has("commits/") || (folder.has("metadata") && !has("state/"))
  }
}
