package windrow.spark.running

import org.apache.hadoop.fs.{Path, RemoteIterator}
import org.apache.spark.sql.SparkSession
import windrow.spark.query.Checkpoint
import windrow.{CheckpointError, ErrorConditions, ErrorText}

/** Compares the folders of micro-batches, `batch=<number>`, with a checkpoint. A checkpoint that was replaced by an
  * older copy plans other micro-batches with the same numbers, and would leave some of the old folders, whose rows it
  * writes again (SEMANTICS B5).
  */
private[spark] final class BatchFolders(session: SparkSession, checkpoint: String) {
  private lazy val planned = Checkpoint.lastPlan(session, checkpoint)

  /** Fails if a folder contains micro-batches that the checkpoint has not planned.
    *
    * @throws CheckpointError
    *   which names their folders
    */
  def check(folder: Path): Unit = unplanned(folder) match {
    case Nil => ()
    case found =>
      val names = Seq(found.min, found.max).distinct.map(number => s"batch=$number")
      throw new CheckpointError(ErrorConditions.message(
        "BATCH_OF_THE_PAST.FILES",
        "folder"     -> ErrorText.withoutKeys(folder.toString),
        "checkpoint" -> ErrorText.withoutKeys(checkpoint),
        "first"      -> found.min,
        "last"       -> found.max,
        "folders"    -> names.mkString(" to ")))
  }

  /** Returns the numbers of the micro-batches in a folder that the checkpoint has not planned. Lists the folder once. */
  def unplanned(folder: Path): Seq[Long] = {
    val files = folder.getFileSystem(session.sparkContext.hadoopConfiguration)
    if (!files.exists(folder)) Nil
    else {
      val all = BatchFolders.iterator(files.listStatusIterator(folder)).map(_.getPath.getName)
      all.filter(_.startsWith("batch=")).flatMap(_.stripPrefix("batch=").toLongOption)
        .filter(number => planned.forall(number > _)).toSeq
    }
  }
}

private object BatchFolders {
  private def iterator[T](of: RemoteIterator[T]): Iterator[T] = new Iterator[T] {
    def hasNext: Boolean = of.hasNext
    def next(): T        = of.next()
  }
}
