package windrow.spark.running

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import java.util.Locale
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal
import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.SpecError
import windrow.SpecProblem
import windrow.spark.pack.Combining
import windrow.spark.panes.FiresPanes
import windrow.spark.query.Checkpoint
import windrow.spark.shards.GuardSettings

/** Folders of files that a query writes to.
  *
  * @param kind
  *   of the rows
  */
private[spark] final case class FilesOf(kind: String, path: String, format: String)

private[spark] object FilesOf {

  /** `{"panes": "table", …}` */
  def names(json: String): Map[String, String] =
    new ObjectMapper().readTree(json).properties.asScala.map(one => one.getKey -> one.getValue.asText).toMap

  /** `{"panes": {"path": "…", "format": "parquet"}, …}` */
  def read(json: String): Seq[FilesOf] = {
    val all: JsonNode = new ObjectMapper().readTree(json)
    all.fieldNames.asScala.toSeq.map(kind =>
      FilesOf(kind, all.get(kind).path("path").asText, all.get(kind).path("format").asText))
  }
}

/** What can be told of a query before it begins, and would else come out of it as an error of Spark's. */
private[spark] object BeforeStart {
  private val Provider = "spark.sql.streaming.stateStore.providerClass"
  private val RocksDb  = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /** The id of the query that its checkpoint keeps, and what could not be told; see [[ResumeCheck]].
    *
    * @param isFinal
    *   the query has an end
    * @param tables
    *   that rows are added to, by their kind
    * @throws SpecError
    *   with all that is wrong with the session and the folders
    * @throws CheckpointError
    *   if the query cannot go on from the checkpoint, or a folder belongs to another
    */
  def check(
      session: SparkSession,
      plan: LogicalPlan,
      checkpoint: String,
      isFinal: Boolean,
      files: Seq[FilesOf],
      tables: Map[String, String]): (String, Option[String]) = {
    val found =
      provider(session, checkpoint).toSeq ++ files.flatMap(ofFiles(plan, _)) ++ shared(session, files, tables) ++
        tables.flatMap { case (kind, name) => TableCheck(session, name, columns(plan, kind)) }
    val wrong = found ++ ofGuards(session, plan)
    if (wrong.nonEmpty) throw SpecError("start(...)", wrong)
    ofEnd(session, checkpoint, isFinal).foreach(throw _)
    CutOffStart.clear(session, checkpoint)
    val unchecked = ResumeCheck.check(session, plan, checkpoint)
    (new FilesOwner(session, checkpoint).claim(files.map(_.path)), unchecked)
  }

  /** Settings may have changed since the query was described. */
  private def ofGuards(session: SparkSession, plan: LogicalPlan): Seq[SpecProblem] = {
    Combining.check(session)
    val guards = GuardSettings(session)
    ResumeCheck.programs(plan).collect { case (_, program: FiresPanes) => guards.problems(program.spec) }.flatten
  }

  /** One that is gone on with keeps that of its checkpoint. */
  private def provider(session: SparkSession, checkpoint: String): Option[SpecProblem] = {
    val set = session.conf.get(Provider)
    Option.when(!set.contains("RocksDB") && !Checkpoint.isBegun(session, checkpoint))(SpecProblem(
      "STATE_STORE_NOT_ROCKSDB",
      "setting"  -> Provider,
      "found"    -> set,
      "provider" -> RocksDb))
  }

  private def ofFiles(plan: LogicalPlan, files: FilesOf): Seq[SpecProblem] = {
    columns(plan, files.kind).filter(_.toLowerCase(Locale.ROOT) == "batch").map(name =>
      SpecProblem(
        "NAME_TAKEN.FILES",
        "rows" -> files.kind,
        "name" -> name)) ++
      format(files)
  }

  /** A batch of one kind would take the place of another's, or lack its columns. */
  private def shared(
      session: SparkSession,
      files: Seq[FilesOf],
      tables: Map[String, String]): Iterable[SpecProblem] = {
    val settings = session.sparkContext.hadoopConfiguration
    val folders = files.map { one =>
      val path = new Path(one.path)
      one.kind -> path.getFileSystem(settings).makeQualified(path).toString
    }
    val names = tables.toSeq.map { case (kind, name) => kind -> name.toLowerCase(Locale.ROOT) }
    Seq(folders, names).flatMap(_.groupMap(_._2)(_._1)).collect {
      case (place, kinds) if kinds.size > 1 =>
        SpecProblem("SINK_SHARED", "kinds" -> kinds.sorted.mkString(" and "), "place" -> place)
    }
  }

  private def columns(plan: LogicalPlan, kind: String): Seq[String] =
    plan.output.find(_.name == kind).map(_.dataType).collect { case rows: StructType =>
      rows.fieldNames.toSeq
    }.getOrElse(
      Nil)

  private def format(files: FilesOf): Option[SpecProblem] =
    try {
      DataSource.lookupDataSource(files.format, SQLConf.get)
      None
    } catch {
      case NonFatal(_) =>
        Some(SpecProblem(
          "FORMAT_NOT_FOUND",
          "rows"   -> files.kind,
          "format" -> files.format))
    }

  /** The end of its input is one of a query's sources, which stay what they were. */
  private def ofEnd(session: SparkSession, checkpoint: String, isFinal: Boolean): Option[CheckpointError] = {
    def refuse(condition: String) =
      Some(new CheckpointError(ErrorConditions.message(condition, "checkpoint" -> checkpoint)))
    val end   = new Path(checkpoint, "windrow/end")
    val files = end.getFileSystem(session.sparkContext.hadoopConfiguration)
    (Checkpoint.isBegun(session, checkpoint), files.exists(end)) match {
      case (true, false) if isFinal =>
        refuse(
          "FINAL_NOT_BEGUN")
      case (true, true) if !isFinal =>
        refuse(
          "FINAL_LEFT_OUT")
      case (false, true) if !isFinal => // of a start that failed
        files.delete(end, true)
        None
      case _ => None
    }
  }
}
