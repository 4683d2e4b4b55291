package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.windrow.SparkInside
import windrow.TimeSpan

/** Adds Spark's own watermark to an input, over an additional column. */
private[spark] object WithWatermark {

  /** Adds the column and the watermark.
    *
    * @param time
    *   the timestamp that advances the watermark; null does not advance it
    */
  def apply(session: SparkSession, input: LogicalPlan, time: Expression, delay: TimeSpan): LogicalPlan = {
    val clock = Alias(time, "__windrow_watermark")()
    SparkInside.plan(
      SparkInside.frame(session, Project(input.output :+ clock, input))
        .withWatermark(clock.name, s"${millis(delay)} milliseconds"))
  }

  /** Rounds a delay up to milliseconds. Spark would round it down, and the watermark would be ahead of the configured
    * one.
    */
  private def millis(delay: TimeSpan): Long = -Math.floorDiv(-delay.micros, 1000L)
}
