package windrow.spark.pack

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A folder whose first line of text says that a query's input is over. */
private[spark] final case class EndMarker(path: String) {

  private val Unread = Set('_', '.') // what the names of files begin with that Spark leaves out

  /** For readers that take a path for a pattern of several: this one alone. */
  def pattern: String = path.replaceAll("""[\\{}\[\]*?]""", """\\$0""")

  /** Whether a file that Spark reads has a line: some committers write into `_SUCCESS`, too. Asked while a micro-batch is
    * planned: if not, no batch before it was the last.
    */
  def hasEnd(settings: Configuration): Boolean = {
    val folder = new Path(path)
    val files  = folder.getFileSystem(settings)
    files.exists(folder) && files.listStatus(folder).exists(file =>
      file.getLen > 0 && !Unread(file.getPath.getName.head))
  }
}
