package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Literal, TruncTimestamp}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.windrow.WriteCheck
import scala.util.control.NonFatal
import windrow.spark.pack.{Unpack, WriteRejected}
import windrow.spark.running.FolderCheck
import windrow.spark.verify.ErrorText
import windrow.{SpecError, SpecProblem, TimeSpan}

/** The settings of accelerated queries beside the one that turns acceleration on.
  *
  * @param rejected
  *   the folder for rejected rows (SEMANTICS R155)
  * @param lateness
  *   how late rows may be that still update their window, in mode `update` (SEMANTICS R156)
  */
private final case class AcceleratedSettings(rejected: Option[String], lateness: Option[TimeSpan]) {
  import AcceleratedSettings._

  /** Checks the settings against a query.
    *
    * @throws SpecError
    *   if a setting cannot be honored
    */
  def check(session: SparkSession, mode: OutputMode, made: Rewritten, checkpoint: String): Unit = {
    val late = for (span <- lateness; why <- withoutLateness(mode, made.decisions.operators))
      yield SpecProblem("LATENESS_NOT_ACCELERATED", "setting" -> Lateness, "value" -> span, "why" -> why)
    if (late.nonEmpty) throw SpecError(Lateness, late.toSeq)
    val folders = rejected.filter(_ => made.count > 0).toSeq.flatMap(folder =>
      FolderCheck(session, Seq("the rejected rows" -> folder, "the checkpoint" -> checkpoint)) ++ ofColumns(session, made))
    if (folders.nonEmpty) throw SpecError(Rejected, folders)
  }

  /** Returns why rows that are late cannot update a window. */
  private def withoutLateness(mode: OutputMode, operators: Seq[OperatorAcceleration]): Option[String] =
    operators.collectFirst {
      case OperatorAcceleration(_, operator, Some(why)) => s"Spark runs '$operator': $why"
      case OperatorAcceleration(_, operator, None) if !operator.startsWith(StatefulNodes.Aggregation) =>
        s"'$operator' is not an aggregation over windows"
    }.orElse(Option.when(mode != OutputMode.Update())(
      s"the query starts in output mode '${mode.toString.toLowerCase}', which emits a window only once"))

  private def ofColumns(session: SparkSession, made: Rewritten): Seq[SpecProblem] =
    written(made.plan).collect { case one: WriteRejected => one }.flatMap { one =>
      try { WriteCheck.files(session, one.columns, Format); None }
      catch {
        case NonFatal(wrong) => Some(SpecProblem(
            "FORMAT_NOT_FOR_ROWS",
            "rows"   -> s"the rejected rows of '${one.operator}'",
            "format" -> Format,
            "why"    -> ErrorText.firstLine(wrong)))
      }
    }

  /** Adds the files of rejected rows to accelerated operators. */
  def written(plan: LogicalPlan): LogicalPlan = rejected.fold(plan)(folder =>
    plan.transform {
      case rows @ Unpack(packet: Attribute, _, _, child, Some(all), _) =>
        Rewrite.nameOf(all.operator).fold(rows)(name =>
          rows.copy(child = WriteRejected(folder, name, all.copy(columns = all.columns.map(shown)), packet, child)))
    })

  /** Shows Spark's watermark, which is a whole millisecond. That of some operators is a microsecond later. */
  private def shown(column: Alias): Alias =
    if (column.name != "watermark") column
    else Alias(TruncTimestamp(Literal("MILLISECOND"), column.child, Some("UTC")), column.name)()
}

private object AcceleratedSettings {
  val Rejected: String = s"${Accelerate.Setting}.rejected"
  val Lateness: String = s"${Accelerate.Setting}.lateness"

  private val Format = "parquet"

  /** Reads the settings of a session.
    *
    * @throws SpecError
    *   if a value is not understood
    */
  def apply(session: SparkSession): AcceleratedSettings = {
    def text(name: String) = session.conf.getOption(name).map(_.trim).filter(_.nonEmpty)
    AcceleratedSettings(
      text(Rejected),
      text(Lateness).map(value => TimeSpan.parse(value).fold(why => throw SpecError(Lateness, Seq(why)), identity)))
  }
}
