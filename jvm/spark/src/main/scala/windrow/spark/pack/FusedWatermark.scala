package windrow.spark.pack

import java.util.UUID
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.BindReferences
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode
import org.apache.spark.sql.execution.CodegenSupport
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.CalendarInterval

/** A watermark below windows, whose event times are taken within the generated code of the operators around it: Spark's own
  * node stands between two stages of it, and every message becomes a row once more. `spark.sql.codegen.wholeStage` turns both off.
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

  /** The same plan with such nodes. */
  def in(plan: LogicalPlan): LogicalPlan = plan.transform {
    case EventTimeWatermark(nodeId, time, delay, child) if time.dataType == TimestampType =>
      FusedWatermark(nodeId, time, delay, child)
  }
}

/** To Spark it is its own node, from which it reads how far event time has come. */
private[spark] final class FusedWatermarkExec(
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan)
    extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) with CodegenSupport {

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(context: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(context, this)

  /** A message without a time counts as 0, as in Spark's own node. */
  override def doConsume(context: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val stats = context.addReferenceObj("eventTimeStats", eventTimeStats)
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
