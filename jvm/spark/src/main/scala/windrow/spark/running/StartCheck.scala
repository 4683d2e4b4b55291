package windrow.spark.running

import java.util.Locale
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{TimeMode, Trigger}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.WriteCheck
import scala.util.Try
import scala.util.control.NonFatal
import windrow.spark.pack.CombineChoice
import windrow.spark.panes.PaneProgram
import windrow.spark.query.Checkpoint
import windrow.spark.shards.GuardSettings
import windrow.{CheckpointError, ErrorConditions, ErrorText, SpecError, SpecProblem}

/** A folder of files to which a query writes.
  *
  * @param kind
  *   the kind of the rows
  */
private[spark] final case class FilesTarget(kind: String, path: String, format: String)

/** The options of a start.
  *
  * @param trigger
  *   Spark's trigger, if Scala starts the query
  * @param drain
  *   whether the query ends with the input and then runs once more to complete every window
  * @param name
  *   the name of the query
  * @param tables
  *   tables to which rows are appended, by their kind
  */
private[spark] final case class RunOptions(
    checkpoint: String,
    trigger: Option[Trigger] = None,
    drain: Boolean = false,
    name: Option[String] = None,
    files: Seq[FilesTarget] = Nil,
    tables: Map[String, String] = Map.empty) {
  def isBounded: Boolean = trigger.contains(Trigger.AvailableNow())
}

/** Checks everything about a query that can be checked before its first micro-batch and that would otherwise fail in it
  * as an error of Spark's. Creates nothing: [[Claim]] does so after all checks have passed.
  */
private[spark] object StartCheck {
  private val Provider = "spark.sql.streaming.stateStore.providerClass"
  private val NoData   = "spark.sql.streaming.noDataMicroBatches.enabled"
  private val RocksDb  = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /** Returns warnings: conditions that cannot be checked before the query starts (see [[ResumeCheck]]), and a setting
    * with which windows wait for more rows.
    *
    * @param wrong
    *   problems that the caller has found
    * @param sinks
    *   checks of the sinks, each of which fails with an error that has a code
    * @throws SpecError
    *   with all problems
    * @throws CheckpointError
    *   if the only problem is that the query cannot continue from the checkpoint, or that a folder belongs to another
    *   query
    */
  def check(
      session: SparkSession,
      plan: LogicalPlan,
      start: RunOptions,
      wrong: Seq[SpecProblem] = Nil,
      sinks: Seq[() => Unit] = Nil): Seq[String] = {
    var unchecked = Option.empty[String]
    val looks = Seq(
      () => CombineChoice.check(session),
      () => ofGuards(session, plan),
      () => end(session, start).foreach(throw _),
      () => unchecked = ResumeCheck.check(session, plan, start.checkpoint),
      () => new FilesOwner(session, start.checkpoint).check(start.files.map(_.path)))
    val found   = wrong ++ problems(session, plan, start)
    val refused = (if (found.exists(_.code == "FOLDER_NOT_USABLE")) sinks else looks ++ sinks).flatMap(refusal)
    (found ++ refused.flatMap(problemsOf)).distinct match {
      case Nil                                       => unchecked.toSeq ++ idle(session, plan)
      case _ if found.isEmpty && refused.sizeIs == 1 => throw refused.head
      case all                                       => throw SpecError("start(...)", all)
    }
  }

  /** Returns a warning if Spark does not run micro-batches without data, in which windows fire that the last rows
    * complete.
    */
  private def idle(session: SparkSession, plan: LogicalPlan): Option[String] =
    Option.when(!session.conf.get(NoData).toBoolean && ResumeCheck.programs(plan).exists(_._1 != TimeMode.None()))(
      ErrorConditions.message("NO_BATCHES_WITHOUT_DATA", "setting" -> NoData))

  private def refusal(look: () => Unit): Option[Throwable] =
    try { look(); None }
    catch { case NonFatal(refused) if Coded.matches(refused.getMessage) => Some(refused) }

  private def problemsOf(refused: Throwable): Seq[SpecProblem] = refused match {
    case several: SpecError => several.problems
    case one => Coded.findAllMatchIn(one.getMessage).map(found => SpecProblem(found.group(1), found.group(2))).toSeq
  }

  /** Matches an error of Windrow. */
  private val Coded = """(?s)\[([A-Z_]+)\] (.*)""".r

  private def problems(session: SparkSession, plan: LogicalPlan, start: RunOptions): Seq[SpecProblem] = {
    val folders = start.files.map(one => one.kind -> one.path) :+ ("the checkpoint" -> start.checkpoint)
    val named   = start.tables.toSeq.map { case (kind, name) => (kind, name, name.toLowerCase(Locale.ROOT)) }
    val located = named.distinctBy(_._3).flatMap { case (kind, name, _) =>
      WriteCheck.location(session, name).map(s"$kind (table $name)" -> _)
    }
    provider(session, start.checkpoint).toSeq ++
      Option.when(plan.isStreaming)(streaming(plan)).flatten ++
      start.name.filter(WriteCheck.isRunning(session, _)).map(name =>
        SpecProblem("QUERY_NAME_TAKEN", "name" -> name)) ++
      start.files.flatMap(ofFiles(session, plan, _)) ++
      FolderCheck(session, folders ++ located) ++
      FolderCheck.shared(named) ++
      start.tables.flatMap { case (kind, name) => rows(plan, kind).flatMap(TableCheck(session, name, _)) }
  }.distinct

  /** Checks the guards again, because settings may have changed since the query was described. */
  private def ofGuards(session: SparkSession, plan: LogicalPlan): Unit = {
    val guards = GuardSettings(session)
    val found  = ResumeCheck.programs(plan).collect { case (_, one: PaneProgram) => guards.problems(one.spec) }.flatten
    if (found.nonEmpty) throw SpecError("start(...)", found)
  }

  /** Checks the state store of a new query. An existing checkpoint keeps its own. */
  private def provider(session: SparkSession, checkpoint: String): Option[SpecProblem] = {
    val set = session.conf.get(Provider)
    Option.when(!set.contains("RocksDB") && !isBegun(session, checkpoint))(SpecProblem(
      "STATE_STORE_NOT_ROCKSDB",
      "setting"  -> Provider,
      "found"    -> set,
      "provider" -> RocksDb))
  }

  private def streaming(plan: LogicalPlan): Option[SpecProblem] =
    try { WriteCheck.streaming(plan); None }
    catch { case NonFatal(wrong) => Some(SpecProblem("QUERY_REFUSED", "why" -> ErrorText.firstLine(wrong))) }

  private def ofFiles(session: SparkSession, plan: LogicalPlan, files: FilesTarget): Seq[SpecProblem] = {
    val columns = rows(plan, files.kind)
    columns.toSeq.flatMap(_.fieldNames).filter(_.toLowerCase(Locale.ROOT) == "batch").map(name =>
      SpecProblem(
        "NAME_TAKEN.FILES",
        "rows" -> files.kind,
        "name" -> name)) ++
      format(session, files, columns)
  }

  private def rows(plan: LogicalPlan, kind: String): Option[StructType] =
    plan.output.find(_.name == kind).map(_.dataType).collect { case rows: StructType => rows }

  private def format(session: SparkSession, files: FilesTarget, columns: Option[StructType]): Option[SpecProblem] =
    if (Try(DataSource.lookupDataSource(files.format, SQLConf.get)).isFailure)
      Some(SpecProblem("FORMAT_NOT_FOUND", "rows" -> files.kind, "format" -> files.format))
    else
      try {
        columns.foreach(WriteCheck.files(session, _, files.format))
        None
      } catch {
        case NonFatal(wrong) =>
          Some(SpecProblem(
            "FORMAT_NOT_FOR_ROWS",
            "rows"   -> files.kind,
            "format" -> files.format,
            "why"    -> ErrorText.firstLine(wrong)))
      }

  /** Checks `drain` against the checkpoint. The marker of the end is one of the query's sources, which may not change.
    */
  private def end(session: SparkSession, start: RunOptions): Option[CheckpointError] = {
    def refuse(condition: String) =
      Some(new CheckpointError(ErrorConditions.message(condition, "checkpoint" -> start.checkpoint)))
    (isBegun(session, start.checkpoint), Claim.hasEnd(session, start.checkpoint)) match {
      case (true, false) if start.drain => refuse("DRAIN_NOT_STARTED")
      case (true, true) if !start.drain => refuse("DRAIN_LEFT_OUT")
      case _                            => None
    }
  }

  /** Whether the checkpoint exists. [[FolderCheck]] reports a path that cannot be used. */
  private def isBegun(session: SparkSession, checkpoint: String): Boolean =
    Try(Checkpoint.isBegun(session, checkpoint)).getOrElse(false)
}
