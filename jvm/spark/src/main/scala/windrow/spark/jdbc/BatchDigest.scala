package windrow.spark.jdbc

import java.security.MessageDigest
import java.util.HexFormat
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import scala.util.Using

/** Distinguishes micro-batches with the same number. Spark stores the offsets and the time of a micro-batch before it
  * runs, and uses them again whenever it repeats the micro-batch.
  */
private[spark] object BatchDigest {

  /** Returns the digest of a micro-batch, or None if the checkpoint does not contain it. */
  def of(session: SparkSession, checkpoint: String, number: Long): Option[String] = {
    val entry = new Path(new Path(checkpoint, "offsets"), number.toString)
    val files = entry.getFileSystem(session.sparkContext.hadoopConfiguration)
    Option.when(files.exists(entry)) {
      val said = Using.resource(files.open(entry))(_.readAllBytes())
      HexFormat.of.formatHex(MessageDigest.getInstance("SHA-256").digest(said))
    }
  }
}
