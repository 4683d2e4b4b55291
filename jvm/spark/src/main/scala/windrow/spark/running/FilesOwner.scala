package windrow.spark.running

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.SparkSession
import scala.util.Using
import windrow.{CheckpointError, ErrorConditions, ErrorText}

/** Records which checkpoint the micro-batches in a folder of files belong to, with a marker in both. Another query
  * would overwrite some of them and leave the others (SEMANTICS B5).
  */
private[spark] final class FilesOwner(session: SparkSession, checkpoint: String) {
  private val settings  = session.sparkContext.hadoopConfiguration
  private lazy val ours = whole(new Path(checkpoint, "windrow/query"))

  private lazy val (id, isNew) = read(ours).fold((UUID.randomUUID.toString, true))((_, false))

  private val batches = new BatchFolders(session, checkpoint)

  /** Checks the folders.
    *
    * @throws CheckpointError
    *   if a folder contains micro-batches of another query, or later ones than the checkpoint
    */
  def check(folders: Seq[String]): Unit = {
    requireOurs(folders)
    folders.foreach(folder => batches.check(new Path(folder)))
  }

  /** Returns the marker files of the folders and of the checkpoint. */
  def marks(folders: Seq[String]): Seq[Path] = ours +: folders.map(mark)

  /** Claims all folders for the query, or none. A folder of a query that is older than the markers has none.
    *
    * @return
    *   the id of the query. The checkpoint, and every copy of it, keeps this id.
    * @throws CheckpointError
    *   if a folder contains micro-batches of another query
    */
  def claim(folders: Seq[String]): String = {
    requireOurs(folders)
    if (isNew)
      TextFile.write(settings, ours, id) // first, because no query could use a folder whose marker is in no checkpoint
    folders.map(mark).filter(read(_).isEmpty).foreach(TextFile.write(settings, _, id))
    id
  }

  private def mark(folder: String): Path = whole(new Path(folder, "_windrow/query"))

  private def requireOurs(folders: Seq[String]): Unit = folders.find(isTaken).foreach(folder => throw taken(folder))

  private def isTaken(folder: String): Boolean =
    read(mark(folder)).fold(batches.unplanned(new Path(folder)).nonEmpty)(_ != id)

  private def taken(folder: String) = new CheckpointError(
    ErrorConditions.message(
      "FILES_OF_ANOTHER_QUERY",
      "folder"     -> ErrorText.withoutKeys(folder),
      "checkpoint" -> ErrorText.withoutKeys(checkpoint)))

  /** Qualifies a path, because the checkpoint file manager, which writes it, may resolve relative paths differently. */
  private def whole(path: Path): Path = files(path).makeQualified(path)

  private def files(of: Path): FileSystem = of.getFileSystem(settings)

  /** Reads a marker. An empty one does not count, because its driver ended before it was written. */
  private def read(path: Path): Option[String] = Option.when(files(path).exists(path))(
    Using.resource(files(path).open(path))(in => new String(in.readAllBytes(), UTF_8).trim)).filter(_.nonEmpty)
}
