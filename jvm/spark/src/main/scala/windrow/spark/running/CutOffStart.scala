package windrow.spark.running

import org.apache.hadoop.fs.ChecksumFileSystem
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** A start whose driver ended while it wrote the plan of its first batch. Spark takes the file that it was writing for one of
  * another query, and does not begin.
  */
private[running] object CutOffStart {

  /** What Spark writes before it gives a plan its name, and the checksums beside it. */
  private val Unfinished = """\.+\d+\.[0-9a-f-]+\.tmp(\.crc)?""".r

  /** Takes such files away where there is nothing else: no batch has been planned then. */
  def clear(session: SparkSession, checkpoint: String): Unit = {
    val plans = new Path(checkpoint, "offsets")
    val files = raw(plans.getFileSystem(session.sparkContext.hadoopConfiguration))
    if (files.exists(plans)) {
      val found = files.listStatus(plans).toSeq.map(_.getPath)
      if (found.forall(file => Unfinished.matches(file.getName))) found.foreach(files.delete(_, false))
    }
  }

  /** One that shows files of checksums, too. */
  private def raw(files: FileSystem): FileSystem = files match {
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other                       => other
  }
}
