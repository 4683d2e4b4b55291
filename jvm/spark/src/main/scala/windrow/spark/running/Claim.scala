package windrow.spark.running

import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import scala.util.control.NonFatal
import windrow.spark.query.Checkpoint

/** What a start writes before Spark starts the query: the marks of its folders (SEMANTICS B5), and the folder of its end
  * (R71). A start that is refused after all takes it back.
  *
  * @param checkpoint
  *   of the query
  * @param folders
  *   that it writes files to
  */
private[spark] final class Claim(session: SparkSession, checkpoint: String, folders: Seq[String]) {
  private val owner = new FilesOwner(session, checkpoint)
  private val end   = new Path(checkpoint, "windrow/end")

  /** Files, and folders of nothing but these, that are missing and that the start makes, the innermost first. */
  def missing: Seq[String] = {
    val marks  = owner.marks(folders)
    val around = (marks :+ end).flatMap(path => Iterator.iterate(path.getParent)(_.getParent).takeWhile(_ != null))
    (marks ++ (end +: around.distinct.sortBy(-_.depth))).filterNot(path => files(path).exists(path)).map(_.toString)
  }

  /** Takes the folders for the query, and clears what a start that failed has left. More than once it changes nothing.
    *
    * @return
    *   the id that the checkpoint keeps of its query
    */
  def take(drain: Boolean): String = {
    // BeforeStart has refused a query without `drain` that was started with it before.
    if (!drain && Claim.hasEnd(session, checkpoint)) files(end).delete(end, true)
    CutOffStart.clear(session, checkpoint)
    owner.claim(folders)
  }

  /** Removes what `take` has made, unless the query has begun.
    *
    * @param made
    *   the files and folders that `take` made
    * @return
    *   whether the query has no micro-batch yet
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
      try files(path).delete(path, all): Unit // of a folder only if it is empty
      catch { case NonFatal(_) => () }
    }
  }

  private def files(of: Path): FileSystem = of.getFileSystem(session.sparkContext.hadoopConfiguration)
}

private[spark] object Claim {

  /** A start of the checkpoint was final. */
  def hasEnd(session: SparkSession, checkpoint: String): Boolean = {
    val end = new Path(checkpoint, "windrow/end")
    end.getFileSystem(session.sparkContext.hadoopConfiguration).exists(end)
  }
}
