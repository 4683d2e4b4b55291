package windrow.spark.running

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState}
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.sql.windrow.CurrentTimes
import scala.util.Try
import scala.util.control.NonFatal
import windrow.core.state.SpecFingerprint
import windrow.spark.input.WatermarkCheck
import windrow.spark.panes.UpstreamPanes
import windrow.spark.query.{Checkpoint, CheckpointedOperator}
import windrow.spark.shards.{ShardProgram, WindowProcessor}
import windrow.{CheckpointError, ErrorConditions, SpecError}

/** Checks before a start whether a query can continue from a checkpoint (SEMANTICS S2). The shards check the same when
  * the query runs, but their error would be hidden inside an error of Spark.
  */
object ResumeCheck {

  /** Checks the checkpoint, and throws an error if the query cannot continue from it. Returns a warning if the
    * checkpoint cannot be read, so that only the running query checks it, otherwise None.
    *
    * @param plan
    *   the analyzed plan of the query
    */
  def check(session: SparkSession, plan: LogicalPlan, checkpoint: String): Option[String] = {
    val marks = WatermarkCheck.marks(plan)
    Option.when(marks > 1)(Checkpoint.begunWith(session, checkpoint, WatermarkCheck.Policy)).flatten match {
      case Some(policy) if policy.equalsIgnoreCase(WatermarkCheck.Greatest) =>
        throw new CheckpointError(
          ErrorConditions.message(
            "SPEC_CHANGED.SETTING",
            "setting" -> WatermarkCheck.Policy,
            "value"   -> WatermarkCheck.Greatest))
      case Some(_) => () // Spark continues with the policy of the checkpoint
      case None =>
        WatermarkCheck.ofGreatest(session, marks).foreach(wrong => throw SpecError("start(...)", Seq(wrong)))
    }
    val planned = numbered(session, plan)
    val stored =
      try Right(Checkpoint.begun(session, checkpoint))
      catch { case NonFatal(wrong) => Left(wrong) }
    stored.foreach(operators => if (operators.nonEmpty) refuse(planned, operators))
    stored.left.toOption.filter(_ => planned.nonEmpty).map(wrong =>
      ErrorConditions.message(
        "CHECKPOINT_NOT_CHECKED",
        "checkpoint" -> checkpoint,
        "why"        -> Option(wrong.getMessage).fold(wrong.toString)(_.linesIterator.next())))
  }

  /** Compares the operators one by one. Spark numbers them from the sink on, and assigns the states by these numbers.
    * Operators with which Windrow replaced those of Spark are not in the plan yet; they are compared when Spark starts.
    */
  private[running] def refuse(planned: Seq[(TimeMode, ShardProgram)], all: Seq[CheckpointedOperator]): Unit = {
    val stored = if (planned.size == all.size) all else all.filterNot(_.isAccelerated)
    if (planned.size != stored.size)
      throw new CheckpointError(
        ErrorConditions.message("SPEC_CHANGED.OPERATORS", "found" -> stored.size, "count" -> planned.size))
    planned.zip(stored).foreach { case ((mode, program), one) => changed(one, mode, program).foreach(throw _) }
  }

  /** Returns the Windrow operators in the order of Spark's numbers, before which the optimizer can reorder joins. */
  private def numbered(session: SparkSession, plan: LogicalPlan): Seq[(TimeMode, ShardProgram)] = {
    val written = programs(plan)
    if (written.sizeIs < 2) written
    else programs(Try(CurrentTimes.optimized(session, UpstreamPanes.inlined(plan))).getOrElse(plan))
  }

  /** Returns the Windrow operators in a streaming plan from the sink on, with their time modes. */
  def programs(plan: LogicalPlan): Seq[(TimeMode, ShardProgram)] =
    UpstreamPanes.inlined(plan).collect { case one: TransformWithState => (one.timeMode, one.statefulProcessor: Any) }
      .collect { case (mode, processor: WindowProcessor) => (mode, processor.program) }

  /** Whether an operator of a plan depends on processing time, so that the query runs micro-batches without data. */
  def hasPeriods(plan: LogicalPlan): Boolean = programs(plan).exists(_._2.hasPeriods)

  private def changed(stored: CheckpointedOperator, mode: TimeMode, program: ShardProgram): Option[CheckpointError] =
    stored.fingerprint.flatMap(program.fingerprint.changed)
      .orElse(timeMode(mode.toString).changed(timeMode(stored.timeMode).kept))

  /** The fingerprint of the time mode, which a query cannot change. */
  private def timeMode(mode: String): SpecFingerprint = SpecFingerprint("clock" -> timeModeInWords(mode))

  private def timeModeInWords(mode: String): String =
    if (mode == TimeMode.ProcessingTime.toString)
      "a ProcessingTimeWatermark, or a trigger with a period of processing time"
    else if (mode == TimeMode.EventTime.toString) "a watermark and no trigger with a period of processing time"
    else "no watermark"
}
