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
private[verify] final class Contents(val folder: Folder, val form: String => Form, deep: Boolean) {

  /** The files, without temporary ones and without checksum files. */
  val forms: Map[String, Form] =
    folder.all.filter(Sums.of(_).isEmpty).map(seen => seen.name -> form(seen.name)).filter(_._2 != Form.Temporary).toMap

  /** The name of a version's file. */
  lazy val nameOf: Map[Form, String] = forms.map(_.swap)

  private val held: ConcurrentHashMap[String, Any]      = new ConcurrentHashMap
  private val broken: ConcurrentHashMap[String, String] = new ConcurrentHashMap

  private val (logs, others) = forms.toSeq.partition { case (_, form) => form.isInstanceOf[Form.Plan] }
  inParallel(logs)

  val plans: Map[Long, Planned] = those[Planned].collect { case (Form.Plan(number), planned) =>
    number -> planned
  }.toMap

  /** The plan of the last micro-batch whose plan can be read. */
  val plan: Option[Planned] = plans.maxByOption(_._1).map(_._2)
  inParallel(others)

  val sourceLogs: Map[Form.SourceLog, Listed] =
    those[Listed].collect { case (log: Form.SourceLog, entries) => log -> entries }.toMap

  val operators: Seq[(Int, Described)] =
    those[Described].collect { case (Form.Operator(number), described) => number -> described }

  val snapshots: Map[Form.Version, Snapshot] =
    those[Snapshot].collect { case (version: Form.Version, snapshot) => version -> snapshot }.toMap

  /** The reasons why files are damaged, by their name. */
  def wrong: Map[String, String] = broken.asScala.toMap

  private def those[T](implicit kind: ClassTag[T]): Seq[(Form, T)] = forms.toSeq.flatMap { case (name, form) =>
    Option(held.get(name)).collect { case found: T => form -> found }
  }

  private def inParallel(files: Seq[(String, Form)]): Unit =
    files.asJava.parallelStream().forEach { case (name, form) => read(folder.get(name).get, form) }

  /** Reads a file. A file that does not match its checksums is not parsed, because it may contain anything. */
  private def read(seen: Seen, form: Form): Unit = {
    val found =
      try {
        val sides = Sums.beside(folder, seen)
        sides.flatMap(Sums.wrong(folder, seen, _)).headOption.toLeft(()).flatMap(_ =>
          content(seen, form, isSummed = sides.nonEmpty))
      } catch { case NonFatal(wrong) => Left(s"it cannot be read: ${wrong.getMessage}") }
    found.fold(broken.put(seen.name, _), held.put(seen.name, _)): Unit
  }

  private def content(seen: Seen, form: Form, isSummed: Boolean): Either[String, Any] = {
    def bytes = folder.read(seen)(_.readAllBytes())
    if (seen.size == 0 && form != Form.Other) Left("it is empty")
    else form match {
      case Form.Plan(_)        => Logs.planned(bytes)
      case Form.Commit(_)      => Logs.committed(bytes)
      case Form.QueryId        => Logs.query(bytes)
      case Form.Mark           => Logs.mark(bytes)
      case Form.Operator(_)    => Logs.operator(bytes)
      case Form.Schema(_)      => Schemas.read(bytes)
      case log: Form.SourceLog => if (isFileLog(log)) Logs.sourceLog(bytes) else Right(())
      case _: Form.SinkLog     => Logs.sinkLog(bytes)
      case version: Form.Version =>
        if (version.ending == "zip") Snapshots.read(bytes)
        else Changes.wrong(() => folder.system.open(seen.path), plan.fold("lz4")(_.codec)).toLeft(())
      case Form.Table(_) if seen.name.endsWith(".sst") && (deep || !isSummed) =>
        Snapshots.wrongTable(folder, seen).toLeft(())
      case _ => Right(())
    }
  }

  private def isFileLog(log: Form.SourceLog): Boolean = plan.flatMap(_.sources.lift(log.source)).exists(_.isDefined)
}
