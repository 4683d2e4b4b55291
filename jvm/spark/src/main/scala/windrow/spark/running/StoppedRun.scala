package windrow.spark.running

import org.apache.spark.sql.SparkSession
import windrow.spark.query.Checkpoint

/** Detects whether a bounded run was stopped before its end. Spark does not report it. */
private[spark] object StoppedRun {

  /** Whether a micro-batch in the checkpoint is planned but not committed. A run that was stopped between two
    * micro-batches cannot be distinguished from one that has ended.
    */
  def isIn(session: SparkSession, checkpoint: String): Boolean =
    Checkpoint.lastPlan(session, checkpoint).exists(planned =>
      !Checkpoint.lastCommit(session, checkpoint).exists(_ >= planned))
}
