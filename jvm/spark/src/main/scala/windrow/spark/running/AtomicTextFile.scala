package windrow.spark.running

import java.nio.charset.StandardCharsets.UTF_8
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import scala.util.control.NonFatal

/** Writes files as Spark writes those of a checkpoint. */
private[running] object AtomicTextFile extends TextFile {

  override def write(settings: Configuration, path: Path, text: String): Unit = {
    val parent = CheckpointFileManager.create(path.getParent, settings)
    parent.mkdirs(path.getParent)
    val out = parent.createAtomic(path, overwriteIfPossible = true)
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch {
      case NonFatal(failed) =>
        out.cancel()
        throw failed
    }
  }
}
