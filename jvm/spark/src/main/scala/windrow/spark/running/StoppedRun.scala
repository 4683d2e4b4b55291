package windrow.spark.running

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Detects whether a bounded run was stopped before its end. Spark does not report it. */
private[spark] object StoppedRun {

  /** Whether a micro-batch in the checkpoint is planned but not committed. A run that was stopped between two
    * micro-batches cannot be distinguished from one that has ended.
    */
  def isIn(session: SparkSession, checkpoint: String): Boolean = {
    def last(log: String): Option[Long] = {
      val path  = new Path(checkpoint, log)
      val files = path.getFileSystem(session.sparkContext.hadoopConfiguration)
      if (!files.exists(path)) None
      else files.listStatus(path).toSeq.flatMap(_.getPath.getName.toLongOption).maxOption
    }
    last("offsets").exists(planned => !last("commits").exists(_ >= planned))
  }
}
