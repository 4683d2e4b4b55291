package windrow.spark.verify

import org.apache.hadoop.conf.Configuration
import windrow.{CheckpointError, ErrorConditions}

/** Reads all files of a checkpoint and reports damaged or missing ones. Writes nothing, so it may run at the same time
  * as the query.
  *
  * @param outputs
  *   folders that Spark's file sink writes, with its own log
  * @param deep
  *   whether tables of state stores are read even if they have a checksum file
  */
private[spark] final class CheckpointVerifier(
    settings: Configuration,
    path: String,
    outputs: Seq[String],
    deep: Boolean) {

  /** Verifies the checkpoint. If there are findings, verifies it again and keeps those that persist, because a running
    * query may have written or deleted files during the first pass.
    *
    * @throws CheckpointError
    *   if the checkpoint does not exist
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
    val contents = new FolderContents(folder, FileKind.of, deep)
    val batches  = Batches(contents)
    val own      = Findings(contents, RequiredFiles.of(contents), Sources(contents).wrong)
    val sinks    = outputs.map(output => SinkLogs(settings, output, batches.committed))
    Verification(
      path,
      folder.all.size.toLong + sinks.map(_.files).sum,
      folder.all.map(_.size).sum + sinks.map(_.bytes).sum,
      own ++ sinks.flatMap(_.findings))
  }

  /** Whether the folder is a checkpoint. A query that ended before its first plan has only written `metadata`, and no
    * state precedes a plan.
    */
  private def isCheckpoint(folder: Folder): Boolean = {
    def has(part: String): Boolean = folder.all.exists(_.name.startsWith(part))
    has("offsets/") || has("commits/") || (folder.has("metadata") && !has("state/"))
  }
}
