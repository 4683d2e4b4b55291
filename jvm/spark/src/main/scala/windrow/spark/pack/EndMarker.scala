package windrow.spark.pack

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A folder whose first line of text says that a query's input is over. */
private[spark] final case class EndMarker(path: String) {

  /** For readers that take a path for a pattern of several: this one alone. */
  def pattern: String = path.replaceAll("""[\\{}\[\]*?]""", """\\$0""")

  /** Whether it has a line. Asked while a micro-batch is planned: if not, no batch before it was the last. */
  def hasEnd(settings: Configuration): Boolean = {
    val folder = new Path(path)
    val files  = folder.getFileSystem(settings)
    files.exists(folder) && files.listStatus(folder).exists(_.getLen > 0)
  }
}
