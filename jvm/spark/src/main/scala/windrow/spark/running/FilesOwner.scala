package windrow.spark.running

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import scala.util.Using
import scala.util.control.NonFatal
import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.spark.query.Checkpoint

/** Which checkpoint the batches in a folder of files belong to, by a mark in both: a query of another one would write its own
  * over some of them and leave the rest (SEMANTICS B5).
  */
private[spark] final class FilesOwner(session: SparkSession, checkpoint: String) {
  private val settings  = session.sparkContext.hadoopConfiguration
  private lazy val ours = whole(new Path(checkpoint, "windrow/query"))

  private lazy val (id, isNew) = read(ours).fold((UUID.randomUUID.toString, true))((_, false))

  /** @throws CheckpointError
    *   if a folder has batches of another query
    */
  def check(folders: Seq[String]): Unit = folders.find(isTaken).foreach(folder => throw taken(folder))

  /** The files that say whose the folders are. */
  def marks(folders: Seq[String]): Seq[Path] = ours +: folders.map(mark)

  /** Takes folders for the query, all or none. Of one that was begun before there were marks a folder has none.
    *
    * @return
    *   what the checkpoint keeps of its query from now on: the same for as long as it lives, in a copy of it, too
    * @throws CheckpointError
    *   if a folder has batches of another query
    */
  def claim(folders: Seq[String]): String = {
    check(folders)
    if (isNew) write(ours, id) // first: a mark in a folder that no checkpoint knows would keep it for nobody
    folders.map(mark).filter(read(_).isEmpty).foreach(write(_, id))
    id
  }

  private def mark(folder: String): Path = whole(new Path(folder, "_windrow/query"))

  private def isTaken(folder: String): Boolean =
    read(mark(folder)).fold(hasBatches(folder) && !Checkpoint.isBegun(session, checkpoint))(_ != id)

  private def taken(folder: String) = new CheckpointError(
    ErrorConditions.message(
      "FILES_OF_ANOTHER_QUERY",
      "folder"     -> Said.withoutKeys(folder),
      "checkpoint" -> Said.withoutKeys(checkpoint)))

  /** The manager of checkpoints, which writes, may begin relative paths elsewhere. */
  private def whole(path: Path): Path = files(path).makeQualified(path)

  private def files(of: Path): FileSystem = of.getFileSystem(settings)

  private def hasBatches(folder: String): Boolean = {
    val path = new Path(folder)
    files(path).exists(path) && files(path).listStatus(path).exists(_.getPath.getName.startsWith("batch="))
  }

  /** An empty mark is none: its driver ended before it was written. */
  private def read(path: Path): Option[String] = Option.when(files(path).exists(path))(
    Using.resource(files(path).open(path))(in => new String(in.readAllBytes(), UTF_8).trim)).filter(_.nonEmpty)

  /** Whole or not at all. */
  private def write(path: Path, text: String): Unit = {
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
