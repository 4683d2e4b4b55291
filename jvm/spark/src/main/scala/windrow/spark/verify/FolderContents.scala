package windrow.spark.verify

import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag
import scala.util.control.NonFatal

/** Reads all files of a folder and checks each against its format and its checksums.
  *
  * @param deep
  *   whether tables of state stores are read even if they have a checksum file
  */
private[verify] final class FolderContents(val folder: Folder, val form: String => FileKind, deep: Boolean) {

  /** The files, without temporary ones and without checksum files. */
  val forms: Map[String, FileKind] =
    folder.all.filter(
      ChecksumFiles.of(_).isEmpty).map(seen => seen.name -> form(seen.name)).filter(_._2 != FileKind.Temporary).toMap

  /** The name of a version's file. */
  lazy val nameOf: Map[FileKind, String] = forms.map(_.swap)

  private val held: ConcurrentHashMap[String, Any]      = new ConcurrentHashMap
  private val broken: ConcurrentHashMap[String, String] = new ConcurrentHashMap

  private val (logs, others) = forms.toSeq.partition { case (_, form) => form.isInstanceOf[FileKind.Plan] }
  inParallel(logs)

  val plans: Map[Long, OffsetsEntry] = those[OffsetsEntry].collect { case (FileKind.Plan(number), planned) =>
    number -> planned
  }.toMap

  /** The plan of the last micro-batch whose plan can be read. */
  val plan: Option[OffsetsEntry] = plans.maxByOption(_._1).map(_._2)
  inParallel(others)

  val sourceLogs: Map[FileKind.SourceLog, FileLogEntry] =
    those[FileLogEntry].collect { case (log: FileKind.SourceLog, entries) => log -> entries }.toMap

  val operators: Seq[(Int, OperatorMetadata)] =
    those[OperatorMetadata].collect { case (FileKind.Operator(number), described) => number -> described }

  val snapshots: Map[FileKind.Version, Snapshot] =
    those[Snapshot].collect { case (version: FileKind.Version, snapshot) => version -> snapshot }.toMap

  /** The reasons why files are damaged, by their name. */
  def wrong: Map[String, String] = broken.asScala.toMap

  private def those[T](implicit kind: ClassTag[T]): Seq[(FileKind, T)] = forms.toSeq.flatMap { case (name, form) =>
    Option(held.get(name)).collect { case found: T => form -> found }
  }

  private def inParallel(files: Seq[(String, FileKind)]): Unit =
    files.asJava.parallelStream().forEach { case (name, form) => read(folder.get(name).get, form) }

  /** Reads a file. A file that does not match its checksums is not parsed, because it may contain anything. */
  private def read(seen: FileEntry, form: FileKind): Unit = {
    val found =
      try {
        val sides = ChecksumFiles.beside(folder, seen)
        sides.flatMap(ChecksumFiles.wrong(folder, seen, _)).headOption.toLeft(()).flatMap(_ =>
          content(seen, form, isSummed = sides.nonEmpty))
      } catch { case NonFatal(wrong) => Left(s"it cannot be read: ${wrong.getMessage}") }
    found.fold(broken.put(seen.name, _), held.put(seen.name, _)): Unit
  }

  private def content(seen: FileEntry, form: FileKind, isSummed: Boolean): Either[String, Any] = {
    def bytes = folder.read(seen)(_.readAllBytes())
    if (seen.size == 0 && form != FileKind.Other) Left("it is empty")
    else form match {
      case FileKind.Plan(_)        => Logs.planned(bytes)
      case FileKind.Commit(_)      => Logs.committed(bytes)
      case FileKind.QueryId        => Logs.query(bytes)
      case FileKind.Mark           => Logs.mark(bytes)
      case FileKind.Operator(_)    => Logs.operator(bytes)
      case FileKind.Schema(_)      => Schemas.read(bytes)
      case log: FileKind.SourceLog => if (isFileLog(log)) Logs.sourceLog(bytes) else Right(())
      case _: FileKind.SinkLog     => Logs.sinkLog(bytes)
      case version: FileKind.Version =>
        if (version.ending == "zip") Snapshots.read(bytes)
        else ChangelogFile.wrong(() => folder.system.open(seen.path), plan.fold("lz4")(_.codec)).toLeft(())
      case FileKind.Table(_) if seen.name.endsWith(".sst") && (deep || !isSummed) =>
        Snapshots.wrongTable(folder, seen).toLeft(())
      case _ => Right(())
    }
  }

  private def isFileLog(log: FileKind.SourceLog): Boolean = plan.flatMap(_.sources.lift(log.source)).exists(_.isDefined)
}
