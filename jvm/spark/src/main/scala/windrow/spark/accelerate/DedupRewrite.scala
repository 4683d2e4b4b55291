package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.core.dedup.ReplacedDedup
import windrow.core.time.EventTime
import windrow.spark.dedup.Dedup
import windrow.spark.output.OutputKind
import windrow.spark.stream.{StreamOptions, WindowQuery}

/** Plans a deduplication as an operator of Windrow. The new plan has the columns of the old one.
  *
  * @param time
  *   the event time, a column of `input`
  * @param delay
  *   the delay of the watermark in microseconds, if it decides how long a key is stored. Otherwise, the time is a key.
  */
private final case class DedupRewrite(
    once: UnaryNode,
    keys: Seq[Attribute],
    time: Attribute,
    delay: Option[Long]) {
  private val input = once.child

  /** @throws SpecError
    *   if Windrow cannot run the deduplication
    */
  def plan(session: SparkSession, name: String): LogicalPlan = {
    val columns = Columns.unique(input.output)
    val renamed = AttributeMap(input.output.zip(columns.map(_.toAttribute)))
    val by      = keys.distinctBy(_.exprId).map(renamed)
    val at = time.dataType match {
      case _: StructType => GetStructField(renamed(time), 1) // the event time of a window is its end
      case _             => renamed(time)
    }
    // Spark reads a null time as 1970 where it computes how long to store the key, and never removes it as a key.
    val replaced     = ReplacedDedup(if (delay.isDefined) 0L else EventTime.Limit - 1, delay.isDefined)
    val spec         = DedupDraft(Some(TimeSpan(delay.getOrElse(0L))), lateness = Some(TimeSpan.Zero)).check
    val options      = StreamOptions(None, None, Map.empty, None, None, name, OutputKind.Rows, isAccelerated = true)
    val (found, all) = Dedup.parts(session, Aggregate(by, by, Project(columns, input)), None)
    val kept = WindowQuery.plan(
      session,
      name,
      spec.map(Dedup(_, Some(replaced)) -> options),
      (found, all.map(_.copy(markers = Map("time" -> at)))))
    val rows = SparkInside.plan(SparkInside.frame(session, kept))
    SparkInside.plan(SparkInside.frame(
      session,
      Project(once.output.zip(rows.output).map { case (old, value) => Columns.like(old, value) }, rows)))
  }
}

private object DedupRewrite {

  /** Returns the deduplication, or the reason why Spark must run it; None for another operator. */
  def of(plan: LogicalPlan): Option[Either[SpecProblem, DedupRewrite]] = plan match {
    case once: Deduplicate => Some(timeOf(once.child).flatMap {
        case Some(time) if once.keys.exists(_.exprId == time.exprId) =>
          Right(DedupRewrite(once, once.keys, time, None))
        case _ => Left(SpecProblem("DEDUP_WITHOUT_TIME"))
      })
    case once: DeduplicateWithinWatermark => Some(timeOf(once.child).flatMap {
        case Some(time) if time.dataType.isInstanceOf[StructType] =>
          val operator = s"dropDuplicatesWithinWatermark over the windows '${time.name}'"
          Left(SpecProblem("OPERATOR_NOT_ACCELERATED", "operator" -> operator))
        case Some(time) =>
          val delay = time.metadata.getLong(EventTimeWatermark.delayKey)
          Right(DedupRewrite(once, once.keys, time, Some(delay * 1000)))
        case None => refused("dropDuplicatesWithinWatermark without a watermark")
      })
    case _ => None
  }

  /** Returns the column with the event time of the rows, if there is one. */
  private def timeOf(input: LogicalPlan): Either[SpecProblem, Option[Attribute]] =
    input.output.filter(SparkJoins.hasWatermark).distinctBy(_.exprId) match {
      case Seq(_, _, _*) => refused("a deduplication of rows with several event-time columns")
      case found         => Right(found.headOption)
    }

  private def refused(what: String) = Left(SpecProblem("NOT_SUPPORTED_BY_SPARK", "what" -> what))
}
