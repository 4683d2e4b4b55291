package windrow.spark.input

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.windrow.SparkInside
import windrow.TimeSpan

/** Spark's own watermark on an input, over a column more. */
private[spark] object WithWatermark {

  /** @param time
    *   that moves it, a timestamp; null does not
    */
  def apply(session: SparkSession, input: LogicalPlan, time: Expression, delay: TimeSpan): LogicalPlan = {
    val clock = Alias(time, "__windrow_watermark")()
    SparkInside.plan(
      SparkInside.frame(session, Project(input.output :+ clock, input))
        .withWatermark(clock.name, s"${millis(delay)} milliseconds"))
  }

  /** Spark counts delays in whole milliseconds and would drop the rest: the watermark would be ahead of what was stated. */
  private def millis(delay: TimeSpan): Long = -Math.floorDiv(-delay.micros, 1000L)
}
