package windrow.spark.accelerate

import java.util.Locale
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal, TruncTimestamp}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.windrow.{SparkInside, WriteCheck}
import scala.util.control.NonFatal
import windrow.spark.pack.{Unpack, WriteRejected}
import windrow.spark.query.{AcceleratedNames, Checkpoint}
import windrow.spark.running.{BatchFolders, FolderCheck}
import windrow.{ErrorText, SpecError, SpecProblem}

/** Checks the settings of a query against its operators, and adds the files of rejected rows to its plan. */
private final class AppliedSettings(session: SparkSession, settings: AcceleratedSettings) {
  import AcceleratedSettings._
  import settings._

  private val format = "parquet"

  /** Checks the settings against a query.
    *
    * @throws SpecError
    *   if a setting cannot be honored
    * @throws windrow.CheckpointError
    *   if the folder contains later micro-batches than the checkpoint
    */
  def check(mode: OutputMode, made: RewrittenQuery, checkpoint: String): Unit = {
    val late = for (span <- lateness; why <- withoutLateness(mode, made.decisions.operators))
      yield SpecProblem("LATENESS_NOT_ACCELERATED", "setting" -> Lateness, "value" -> span, "why" -> why)
    if (late.nonEmpty) throw SpecError(Lateness, late.toSeq)
    rejected.filter(_ => made.count > 0).foreach { folder =>
      val places = FolderCheck(session, Seq("the rejected rows" -> folder, "the checkpoint" -> checkpoint))
      val wrong  = if (places.isEmpty) ofColumns(made) else places
      if (wrong.nonEmpty) throw SpecError(Rejected, wrong)
      Checkpoint.queryId(session, checkpoint).foreach(id =>
        new BatchFolders(session, checkpoint).check(new Path(folder, s"query=$id")))
    }
  }

  /** Returns why rows that are late cannot update a window. */
  private def withoutLateness(mode: OutputMode, operators: Seq[OperatorAcceleration]): Option[String] =
    operators.collectFirst {
      case OperatorAcceleration(_, operator, Some(why)) => s"Spark runs '$operator': $why"
      case OperatorAcceleration(_, operator, None) if !operator.startsWith(StatefulNodes.Aggregation) =>
        s"'$operator' is not an aggregation over windows"
    }.orElse(Option.when(mode != OutputMode.Update())(
      s"the query starts in output mode '${mode.toString.toLowerCase(Locale.ROOT)}', which emits a window only once"))

  private def ofColumns(made: RewrittenQuery): Seq[SpecProblem] =
    written(made.plan).collect { case one: WriteRejected => one }.flatMap { one =>
      try { WriteCheck.files(session, one.columns, format); None }
      catch {
        case NonFatal(wrong) => Some(SpecProblem(
            "FORMAT_NOT_FOR_ROWS",
            "rows"   -> s"the rejected rows of '${one.operator}'",
            "format" -> format,
            "why"    -> ErrorText.firstLine(wrong)))
      }
    }

  /** Adds the files of rejected rows to accelerated operators. */
  def written(plan: LogicalPlan): LogicalPlan = rejected.fold(plan) { path =>
    val place  = new Path(path)
    val folder = place.getFileSystem(SparkInside.hadoop(session)).makeQualified(place).toString
    plan.transform {
      case rows @ Unpack(packet: Attribute, _, _, child, Some(all), _) =>
        AcceleratedNames.in(all.operator).fold(rows)(name =>
          rows.copy(child = WriteRejected(folder, name, all.copy(columns = all.columns.map(shown)), packet, child)))
    }
  }

  /** Shows Spark's watermark, which is a whole millisecond. That of some operators is a microsecond later. */
  private def shown(column: Alias): Alias =
    if (column.name != "watermark") column
    else Alias(TruncTimestamp(Literal("MILLISECOND"), column.child, Some("UTC")), column.name)()
}
