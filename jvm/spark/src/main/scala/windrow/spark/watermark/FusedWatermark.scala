package windrow.spark.watermark

import java.util.UUID
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.CalendarInterval
import windrow.spark.version.SparkVersion

/** A watermark node below windows that supports code generation. Spark's own node interrupts the generated code, so
  * that every row is materialized once more between two stages. If `spark.sql.codegen.wholeStage` is off, this node
  * works like Spark's own.
  */
private[spark] final case class FusedWatermark(
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: LogicalPlan)
    extends UnaryNode {
  override lazy val output: Seq[Attribute] = EventTimeWatermark(nodeId, eventTime, delay, child).output

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] object FusedWatermark {

  /** Replaces the watermark nodes of a plan. */
  def in(plan: LogicalPlan): LogicalPlan = plan.transform {
    case EventTimeWatermark(nodeId, time, delay, child) if time.dataType == TimestampType =>
      FusedWatermark(nodeId, time, delay, child)
  }

  private val nodes = SparkVersion.variant[WatermarkNodes]("windrow.spark.watermark.FusedWatermarkExec")

  /** Plans the watermark node. */
  def planned(node: FusedWatermark, child: SparkPlan): SparkPlan = nodes.fused(node, child)

  /** Plans the node that collects the times of partitions. */
  def planned(session: SparkSession, node: PartitionTimes, child: SparkPlan): SparkPlan = {
    val times = new PartitionTimesAccum(node.input, RunProgress.planning)
    session.sparkContext.register(times)
    PartitionTimesExec(times, node.partition, node.time, child)
  }
}

/** The watermark node for the version of Spark that runs. */
private[watermark] trait WatermarkNodes {
  def fused(node: FusedWatermark, child: SparkPlan): SparkPlan
}
