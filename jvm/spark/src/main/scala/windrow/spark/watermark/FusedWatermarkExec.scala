package windrow.spark.watermark

import java.util.UUID
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.streaming.operators.stateful.{EventTimeStatsAccum, EventTimeWatermarkExec}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan}
import org.apache.spark.unsafe.types.CalendarInterval

/** Extends Spark's own node, because Spark reads the progress of event time from nodes of that class. */
private[spark] final class FusedWatermarkExec(
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan)
    extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) with CodegenSupport {
  FusedWatermarkExec.replaceStats(this)

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(context: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(context, this)

  /** Collects the event time of a row. A row without one counts as 0, as in Spark's own node. */
  override def doConsume(context: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val stats = context.addReferenceObj("eventTimeStats", eventTimeStats, classOf[EventTimeStatsAccum].getName)
    context.currentVars = input
    val time   = BindReferences.bindReference[Expression](eventTime, child.output).genCode(context)
    val millis = s"java.lang.Math.floorDiv(${time.value}, 1000L)"
    s"""
       |${time.code}
       |$stats.add(${time.isNull} ? 0L : $millis);
       |${consume(context, input)}
     """.stripMargin
  }

  override def withNewChildInternal(newChild: SparkPlan): FusedWatermarkExec =
    new FusedWatermarkExec(nodeId, eventTime, delay, newChild)
}

private[watermark] object FusedWatermarkExec extends WatermarkNodes {
  private val Stats = classOf[EventTimeWatermarkExec].getDeclaredField("eventTimeStats")
  Stats.setAccessible(true)

  override def fused(node: FusedWatermark, child: SparkPlan): SparkPlan =
    new FusedWatermarkExec(node.nodeId, node.eventTime, node.delay, child)

  /** Replaces the statistics of a node by those of its input. Spark creates them in a private field. */
  private def replaceStats(node: FusedWatermarkExec): Unit = {
    val rule  = WatermarkRule.of(node.eventTime)
    val input = rule.input.getOrElse(node.nodeId)
    val run   = RunProgress.planning
    val stats = new InputTimes(input, rule, run)
    run.add(input, EventTimeWatermark.getDelayMs(node.delay), rule)
    node.session.sparkContext.register(stats)
    Stats.set(node, stats)
  }
}
