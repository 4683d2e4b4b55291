package windrow.spark.running

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.SparkSession
import scala.util.control.NonFatal
import windrow.spark.query.Checkpoint

/** Files that a start writes before Spark starts the query: the markers of its folders (SEMANTICS B5), and the folder
  * of its end (R71). A start that fails later removes them.
  *
  * @param checkpoint
  *   the checkpoint of the query
  * @param folders
  *   folders to which it writes files
  */
private[spark] final class Claim(session: SparkSession, checkpoint: String, folders: Seq[String]) {
  private val owner = new FilesOwner(session, checkpoint)
  private val end   = new Path(checkpoint, "windrow/end")

  /** Returns the missing files, and folders that contain nothing else, that the start creates, innermost first. */
  def missing: Seq[String] = {
    val marks  = owner.marks(folders)
    val around = (marks :+ end).flatMap(path => Iterator.iterate(path.getParent)(_.getParent).takeWhile(_ != null))
    (marks ++ (end +: around.distinct.sortBy(-_.depth))).filterNot(path => files(path).exists(path)).map(_.toString)
  }

  /** Claims the folders for the query and removes the remains of a failed start. Repeated calls change nothing.
    *
    * @return
    *   the id of the query in the checkpoint
    */
  def take(drain: Boolean): String = {
    // StartCheck has already rejected a query without `drain` that was first started with it.
    if (!drain && Claim.hasEnd(session, checkpoint)) files(end).delete(end, true)
    CutOffStart.clear(session, checkpoint)
    owner.claim(folders)
  }

  /** Removes the files that `take` has created, unless the query has a micro-batch.
    *
    * @param made
    *   the files and folders that `take` created
    * @return
    *   false if the query has a micro-batch
    */
  def giveBack(made: Seq[String]): Boolean = {
    val isUnused = !Checkpoint.isBegun(session, checkpoint)
    if (isUnused) remove(made)
    isUnused
  }

  private def remove(made: Seq[String]): Unit = {
    val marks = owner.marks(folders).map(_.toString).toSet
    made.map(new Path(_)).foreach { path =>
      val all = path == end || marks(path.toString)
      try files(path).delete(path, all): Unit // a folder only if it is empty
      catch { case NonFatal(_) => () }
    }
  }

  private def files(of: Path): FileSystem = of.getFileSystem(session.sparkContext.hadoopConfiguration)
}

private[spark] object Claim {

  /** Whether the checkpoint was started with `drain`. */
  def hasEnd(session: SparkSession, checkpoint: String): Boolean = {
    val end = new Path(checkpoint, "windrow/end")
    end.getFileSystem(session.sparkContext.hadoopConfiguration).exists(end)
  }
}
