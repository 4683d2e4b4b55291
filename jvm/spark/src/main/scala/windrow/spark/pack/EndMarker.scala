package windrow.spark.pack

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A folder in which a file with one line of text marks the end of a query's input. */
private[spark] final case class EndMarker(path: String) {

  private val Unread = Set('_', '.') // first characters of files that Spark ignores

  /** Escapes the path for readers that interpret it as a pattern. */
  def pattern: String = path.replaceAll("""[\\{}\[\]*?]""", """\\$0""")

  /** Whether a file that Spark reads contains a line. Some committers also write into `_SUCCESS`, which does not count.
    * Checked while a micro-batch is planned: if the result is false, no earlier micro-batch was the last one.
    */
  def hasEnd(settings: Configuration): Boolean = {
    val folder = new Path(path)
    val files  = folder.getFileSystem(settings)
    files.exists(folder) && files.listStatus(folder).exists(file =>
      file.getLen > 0 && !Unread(file.getPath.getName.head))
  }
}
