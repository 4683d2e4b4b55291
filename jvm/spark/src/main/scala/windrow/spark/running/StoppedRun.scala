package windrow.spark.running

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Whether a bounded run was stopped before its end, of which Spark itself says nothing. */
private[spark] object StoppedRun {

  /** A batch is planned in its checkpoint and not done. One that is stopped between two batches cannot be told from one that
    * has ended.
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
