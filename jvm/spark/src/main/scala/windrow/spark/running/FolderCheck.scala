package windrow.spark.running

import java.nio.file.{Files, Path => LocalPath}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import scala.util.control.NonFatal
import windrow.{ErrorText, SpecProblem}

/** Checks that the checkpoint of a query and the folders of its sinks do not contain each other, because a nested
  * folder could not be read or deleted separately (SEMANTICS B5).
  */
private[spark] object FolderCheck {

  /** A folder.
    *
    * @param path
    *   the user's path, without secrets
    * @param at
    *   the canonical path, for comparisons
    */
  private final case class Place(what: String, path: String, at: String) {
    def holds(other: Place): Boolean = other.at.startsWith(at.stripSuffix("/") + "/")
  }

  /** Returns the problems of the folders.
    *
    * @param folders
    *   the content of each folder, and its path
    */
  def apply(session: SparkSession, folders: Seq[(String, String)]): Seq[SpecProblem] = {
    val (wrong, places) = folders.partitionMap { case (what, path) => place(session, what, path) }
    val nested = for (outer <- places; inner <- places if outer.holds(inner))
      yield SpecProblem(
        "FOLDERS_NESTED",
        "inner"  -> inner.what,
        "path"   -> inner.path,
        "outer"  -> outer.what,
        "around" -> outer.path)
    wrong ++ shared(places.map(one => (one.what, one.path, one.at))) ++ nested
  }

  /** Returns a problem for places that several kinds of rows share. A micro-batch of one kind would replace that of
    * another, or have other columns.
    *
    * @param places
    *   the kind of rows, the user's name of the place, and its canonical name
    */
  def shared(places: Seq[(String, String, String)]): Seq[SpecProblem] =
    places.groupBy(_._3).values.filter(_.size > 1).map(same =>
      SpecProblem("SINK_SHARED", "kinds" -> same.map(_._1).sorted.mkString(" and "), "place" -> same.head._2)).toSeq

  private def place(session: SparkSession, what: String, path: String): Either[SpecProblem, Place] =
    try {
      val hadoops = new Path(path)
      val files   = hadoops.getFileSystem(session.sparkContext.hadoopConfiguration)
      val whole   = files.makeQualified(hadoops)
      val local   = Option.when(whole.toUri.getScheme == "file")(real(LocalPath.of(whole.toUri.getPath)))
      val around  = Iterator.iterate(whole)(_.getParent).takeWhile(_ != null).find(files.exists)
      around.filterNot(files.getFileStatus(_).isDirectory) match {
        case Some(file) => Left(unusable(what, path, s"'$file' is a file."))
        case None => Right(Place(what, ErrorText.withoutKeys(path), local.fold(whole.toString)(one => s"file:$one")))
      }
    } catch { case NonFatal(wrong) => Left(unusable(what, path, ErrorText.firstLine(wrong))) }

  private def unusable(what: String, path: String, why: String) =
    SpecProblem(
      "FOLDER_NOT_USABLE",
      "what" -> what,
      "path" -> ErrorText.withoutKeys(path),
      "why"  -> ErrorText.withoutKeys(why))

  /** Resolves symbolic links in the existing part of a path. */
  private def real(path: LocalPath): LocalPath =
    if (Files.exists(path) || path.getParent == null) path.toRealPath()
    else real(path.getParent).resolve(path.getFileName)
}
