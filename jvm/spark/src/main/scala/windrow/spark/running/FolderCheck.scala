package windrow.spark.running

import java.nio.file.Files
import java.nio.file.{Path => LocalPath}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import scala.util.control.NonFatal
import windrow.SpecProblem

/** Whether the checkpoint of a query and the folders of its sinks lie side by side: a folder inside another can be neither read
  * nor deleted for itself (SEMANTICS B5).
  */
private[running] object FolderCheck {

  /** @param path
    *   as the user wrote it, without keys
    * @param at
    *   the same for all ways to write it
    */
  private final case class Place(what: String, path: String, at: String) {
    def holds(other: Place): Boolean = other.at.startsWith(at.stripSuffix("/") + "/")
  }

  /** @param folders
    *   what is in each, and its path
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

  /** A batch of one kind would take the place of another's, or lack its columns.
    *
    * @param places
    *   what goes there, the place as the user wrote it, and as it is compared
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
        case None       => Right(Place(what, Said.withoutKeys(path), local.fold(whole.toString)(one => s"file:$one")))
      }
    } catch { case NonFatal(wrong) => Left(unusable(what, path, Said.firstLine(wrong))) }

  private def unusable(what: String, path: String, why: String) =
    SpecProblem(
      "FOLDER_NOT_USABLE",
      "what" -> what,
      "path" -> Said.withoutKeys(path),
      "why"  -> Said.withoutKeys(why))

  /** Without symbolic links, as far as it exists. */
  private def real(path: LocalPath): LocalPath =
    if (Files.exists(path) || path.getParent == null) path.toRealPath()
    else real(path.getParent).resolve(path.getFileName)
}

private[running] object Said {
  private val Condition = """^\[[A-Z0-9_.]+] """.r
  private val Keys      = """://[^@\s]*@""".r
  private val State     = """ SQLSTATE: \w+$""".r

  /** Some addresses of storage have the keys to it. */
  def withoutKeys(text: String): String = Keys.replaceAllIn(text, "://…@")

  /** The first line of an error, which Spark and Hadoop follow by plans and traces; without Spark's own code, which would read as
    * one of windrow's.
    */
  def firstLine(wrong: Throwable): String = {
    val line = Option(wrong.getMessage).flatMap(_.linesIterator.find(_.nonEmpty)).getOrElse(wrong.toString)
    State.replaceFirstIn(Condition.replaceFirstIn(line, ""), "")
  }
}
