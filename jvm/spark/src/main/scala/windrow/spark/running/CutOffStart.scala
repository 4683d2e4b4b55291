package windrow.spark.running

import org.apache.hadoop.fs.{ChecksumFileSystem, FileSystem, Path}
import org.apache.spark.sql.SparkSession

/** Repairs a checkpoint whose driver ended while Spark wrote the plan of the first micro-batch. Spark mistakes the
  * unfinished file for one of another query and does not start.
  */
private[spark] object CutOffStart {

  /** Matches the temporary file of a plan before Spark renames it, and its checksum. */
  private val Unfinished = """\.+\d+\.[0-9a-f-]+\.tmp(\.crc)?""".r

  /** Removes such files if there are no others, because no micro-batch is planned then. */
  def clear(session: SparkSession, checkpoint: String): Unit = {
    val plans = new Path(checkpoint, "offsets")
    val files = raw(plans.getFileSystem(session.sparkContext.hadoopConfiguration))
    if (files.exists(plans)) {
      val found = files.listStatus(plans).toSeq.map(_.getPath)
      if (found.forall(file => Unfinished.matches(file.getName))) found.foreach(files.delete(_, false))
    }
  }

  /** Returns a file system that also lists checksum files. */
  private def raw(files: FileSystem): FileSystem = files match {
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other                       => other
  }
}
