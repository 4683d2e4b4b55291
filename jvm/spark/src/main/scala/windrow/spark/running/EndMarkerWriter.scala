package windrow.spark.running

import org.apache.spark.sql.{Encoders, SaveMode, SparkSession}
import windrow.spark.pack.EndMarker

/** Writes the folder that marks the end of a query's input (SEMANTICS R71). The folder must exist when the query
  * starts.
  */
private[spark] final class EndMarkerWriter(session: SparkSession, checkpoint: String) {
  val folder: String = s"${checkpoint.stripSuffix("/")}/windrow/end"
  append()

  def isSignaled: Boolean = EndMarker(folder).hasEnd(session.sparkContext.hadoopConfiguration)

  def signal(): Unit = append("end of input")

  private def append(lines: String*): Unit =
    session.createDataset(lines)(Encoders.STRING).coalesce(1).write.mode(SaveMode.Append).text(folder)
}
