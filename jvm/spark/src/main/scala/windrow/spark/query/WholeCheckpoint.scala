package windrow.spark.query

import org.apache.spark.sql.SparkSession
import windrow.CheckpointError
import windrow.spark.verify.{CheckpointVerifier, Finding, Remedy, Verification}

/** Verifies all files of a checkpoint and, on request, all values. */
private[spark] object WholeCheckpoint {

  /** Verifies a checkpoint.
    *
    * @param outputs
    *   folders that Spark's file sink writes for the query
    * @throws CheckpointError
    *   if the checkpoint does not exist, or its values cannot be read from that path
    */
  def verify(session: SparkSession, path: String, outputs: Seq[String], deep: Boolean): Verification = {
    val found = new CheckpointVerifier(session.sparkContext.hadoopConfiguration, path, outputs, deep).verify()
    if (deep && found.ok) found.copy(findings = values(session, path) ++ found.findings) else found
  }

  private def values(session: SparkSession, path: String): Seq[Finding] =
    try Checkpoint.wrongValues(session, path).map(Finding("state", None, _, Remedy.Restore))
    catch {
      case wrong: CheckpointError if wrong.getMessage.startsWith("[STATE_DAMAGED]") =>
        Seq(Finding("state", None, wrong.getMessage, Remedy.Restore))
    }
}
