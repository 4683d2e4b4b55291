package windrow.spark.jdbc

import java.security.MessageDigest
import java.util.HexFormat
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import scala.util.Using

/** By what a batch differs from others of its number: Spark writes down its offsets and its time before it runs, and runs it by
  * them whenever it comes again.
  */
private[jdbc] object BatchDigest {

  /** None: the checkpoint does not say. */
  def of(session: SparkSession, checkpoint: String, number: Long): Option[String] = {
    val entry = new Path(new Path(checkpoint, "offsets"), number.toString)
    val files = entry.getFileSystem(session.sparkContext.hadoopConfiguration)
    Option.when(files.exists(entry)) {
      val said = Using.resource(files.open(entry))(_.readAllBytes())
      HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(said))
    }
  }
}
