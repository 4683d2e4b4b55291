package windrow.spark.verify

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import scala.util.control.NonFatal
import windrow.{CheckpointError, ErrorConditions, ErrorText}

/** The storage of a checkpoint or of files that a query wrote. */
private[spark] object Storage {

  /** Returns the file system of a path, which may be missing.
    *
    * @throws CheckpointError
    *   if the session lacks the JAR of this file system, or cannot access it
    */
  def of(settings: Configuration, path: String): FileSystem =
    try {
      val place = new Path(path)
      val files = place.getFileSystem(settings)
      files.exists(place): Unit
      files
    } catch {
      case NonFatal(wrong) =>
        throw new CheckpointError(ErrorConditions.message(
          "STORAGE_NOT_ACCESSIBLE",
          "path" -> ErrorText.withoutKeys(path),
          "why"  -> ErrorText.withoutKeys(ErrorText.firstLine(wrong))))
    }
}
