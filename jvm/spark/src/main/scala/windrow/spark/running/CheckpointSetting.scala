package windrow.spark.running

import windrow.spark.version.SparkVersion

/** Spark's setting of the class that writes the files of checkpoints. */
object CheckpointSetting {
  val Name = "spark.sql.streaming.checkpointFileManagerClass"

  /** The name of Windrow's class. */
  val Class: String = SparkVersion.nameOf("windrow.spark.running.CheckpointFiles")
}
