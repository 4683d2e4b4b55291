package windrow.spark.running

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import windrow.spark.pack.EndMarker

/** Creates the folder in a checkpoint in which a file marks the end of a query's input (SEMANTICS R71). The folder must
  * exist when the query starts.
  */
private[spark] final class EndOfRun(session: SparkSession, checkpoint: String) {
  private val settings = session.sparkContext.hadoopConfiguration

  val folder: String = s"${checkpoint.stripSuffix("/")}/windrow/end"

  private val path = {
    val relative = new Path(folder)
    val files    = relative.getFileSystem(settings)
    files.mkdirs(relative): Unit
    files.makeQualified(relative)
  }

  def isSignaled: Boolean = EndMarker(folder).hasEnd(settings)

  /** Marks the end, unless the run was stopped before its end. A second call changes nothing.
    *
    * @return
    *   false if the run was stopped
    */
  def signal(): Boolean = {
    val hasEnded = !StoppedRun.isIn(session, checkpoint)
    if (hasEnded && !isSignaled) TextFile.write(settings, new Path(path, "end.txt"), "end of input\n")
    hasEnded
  }
}
