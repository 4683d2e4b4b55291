package windrow.spark.running

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState}
import org.apache.spark.sql.streaming.TimeMode
import scala.util.control.NonFatal
import windrow.core.state.SpecFingerprint
import windrow.spark.input.WatermarkCheck
import windrow.spark.query.{Checkpoint, CheckpointedOperator}
import windrow.spark.shards.{ShardProgram, WindowProcessor}
import windrow.{CheckpointError, ErrorConditions, SpecError}

/** Checks before a start whether a query can continue from a checkpoint, by the rule of its shards (SEMANTICS S2).
  * Without this check, the running query would fail with an error inside one of Spark's.
  */
object ResumeCheck {

  /** Checks the checkpoint. Returns the reason why it could not be checked if it exists but cannot be read. The running
    * query then checks it. None means that the query can continue.
    *
    * @param plan
    *   the analyzed plan of the query
    */
  def check(session: SparkSession, plan: LogicalPlan, checkpoint: String): Option[String] = {
    WatermarkCheck.ofGreatest(session, WatermarkCheck.marks(plan)).foreach(wrong =>
      throw SpecError("start(...)", Seq(wrong)))
    if (WatermarkCheck.marks(plan) > 1 && Checkpoint.begunWith(session, checkpoint, WatermarkCheck.Policy).exists(
        _.equalsIgnoreCase(WatermarkCheck.Greatest)))
      throw new CheckpointError(
        ErrorConditions.message(
          "SPEC_CHANGED.SETTING",
          "setting" -> WatermarkCheck.Policy,
          "value"   -> WatermarkCheck.Greatest))
    val asked = programs(plan)
    val begun =
      try Right(Checkpoint.begun(session, checkpoint))
      catch { case NonFatal(wrong) => Left(wrong) }
    begun.foreach(operators => if (operators.nonEmpty) refuse(asked, operators))
    begun.left.toOption.filter(_ => asked.nonEmpty).map(wrong =>
      ErrorConditions.message(
        "CHECKPOINT_NOT_CHECKED",
        "checkpoint" -> checkpoint,
        "why"        -> Option(wrong.getMessage).fold(wrong.toString)(_.linesIterator.next())))
  }

  private def refuse(asked: Seq[(TimeMode, ShardProgram)], begun: Seq[CheckpointedOperator]): Unit =
    asked.foreach { case (mode, program) =>
      val wrong = begun.map(changed(_, mode, program)) // Spark decides which stored operator is used
      if (wrong.forall(_.isDefined)) throw wrong.flatten.head
    }

  /** Returns the Windrow operators in a streaming plan, with their time modes. */
  def programs(plan: LogicalPlan): Seq[(TimeMode, ShardProgram)] =
    plan.collect { case one: TransformWithState => (one.timeMode, one.statefulProcessor: Any) }
      .collect { case (mode, processor: WindowProcessor) => (mode, processor.program) }

  /** Whether an operator of a plan depends on processing time, so that the query runs micro-batches without data. */
  def hasPeriods(plan: LogicalPlan): Boolean = programs(plan).exists(_._2.hasPeriods)

  private def changed(begun: CheckpointedOperator, mode: TimeMode, program: ShardProgram): Option[CheckpointError] =
    begun.fingerprint.flatMap(program.fingerprint.changed)
      .orElse(clock(mode.toString).changed(clock(begun.timeMode).kept))

  /** The fingerprint of the time mode, which a query cannot change. */
  private def clock(mode: String): SpecFingerprint = SpecFingerprint("clock" -> periods(mode))

  private def periods(mode: String): String =
    if (mode == TimeMode.ProcessingTime.toString) "a trigger with a period of processing time"
    else if (mode == TimeMode.EventTime.toString) "a watermark and no trigger with a period of processing time"
    else "no watermark"
}
