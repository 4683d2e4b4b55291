package windrow.spark.watermark

import java.util.UUID
import org.apache.spark.sql.execution.streaming.operators.stateful.{EventTimeStats, EventTimeStatsAccum}
import org.apache.spark.util.AccumulatorV2

/** Spark's statistics of the event times of an input, from which Spark computes the watermark. If the input has a rule
  * of its own, their greatest time is the one that the rule reports.
  *
  * Tasks get a copy of Spark's own class. They return it to a driver that may not find Windrow's classes, if Windrow was
  * attached to a running session.
  */
private[spark] final class InputTimes(input: UUID, rule: WatermarkRule, run: RunProgress) extends EventTimeStatsAccum {
  override def merge(other: AccumulatorV2[Long, EventTimeStats]): Unit = {
    super.merge(other)
    if (rule.partitions.isEmpty && other.value.count > 0) run.see(input, "", other.value.max)
  }

  override def value: EventTimeStats = {
    val all = super.value
    if (rule.idle.isEmpty && rule.partitions.isEmpty) all
    else run.reported(input) match {
      case (Some(mark), delay) if all.count > 0 => EventTimeStats(mark + delay, all.min, all.avg, all.count)
      case (Some(mark), delay) => EventTimeStats(mark + delay, mark + delay, (mark + delay).toDouble, 1)
      case (None, _)           => EventTimeStats(0, 0, 0, 0) // Spark skips statistics of no rows
    }
  }

  override def copy(): EventTimeStatsAccum = new EventTimeStatsAccum(currentStats)
}
