package windrow.spark.running

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import windrow.spark.version.SparkVersion

/** Writes small files next to a checkpoint. */
private[running] trait TextFile {

  /** Writes a file atomically. */
  def write(settings: Configuration, path: Path, text: String): Unit
}

private[running] object TextFile {
  private val files = SparkVersion.variant[TextFile]("windrow.spark.running.AtomicTextFile")

  def write(settings: Configuration, path: Path, text: String): Unit = files.write(settings, path, text)
}
