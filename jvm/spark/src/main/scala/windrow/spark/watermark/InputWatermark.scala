package windrow.spark.watermark

import java.util.UUID
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.CalendarInterval

/** Adds Spark's own watermark to an input, over an additional column. */
private[spark] object InputWatermark {

  /** Adds the column and the watermark.
    *
    * @param time
    *   the timestamp that advances the watermark; null does not advance it
    * @param partition
    *   the partition of a row, if each partition has a watermark of its own
    */
  def apply(
      input: LogicalPlan,
      time: Expression,
      watermark: EventWatermark,
      partition: Option[Expression]): LogicalPlan = {
    val rule  = WatermarkRule.of(watermark)
    val clock = Alias(time, "__windrow_watermark")(explicitMetadata = Some(rule.metadata))
    val timed = Project(input.output :+ clock, input)
    val child = rule.input.zip(partition).fold[LogicalPlan](timed) { case (id, of) =>
      PartitionTimes(id, Cast(of, StringType, Some("UTC")), clock.toAttribute, timed)
    }
    EventTimeWatermark(UUID.randomUUID, clock.toAttribute, new CalendarInterval(0, 0, millis(watermark) * 1000), child)
  }

  /** Rounds a delay up to milliseconds. Spark would round it down, and the watermark would be ahead of the configured
    * one.
    */
  private def millis(watermark: EventWatermark): Long = -Math.floorDiv(-watermark.delay.micros, 1000L)
}
