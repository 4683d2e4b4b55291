package windrow.spark.watermark

import java.util
import java.util.UUID
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.util.CollectionAccumulator

/** Collects the greatest event time of each partition of an input, below the watermark of this input.
  *
  * @param partition
  *   the partition of a row, as text
  * @param time
  *   the event time; null does not count
  */
private[spark] final case class PartitionTimes(
    input: UUID,
    partition: Expression,
    time: Attribute,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class PartitionTimesExec(
    times: CollectionAccumulator[util.Map.Entry[String, java.lang.Long]],
    partition: Expression,
    time: Attribute,
    child: SparkPlan)
    extends UnaryExecNode with CodegenSupport {
  override def output: Seq[Attribute] = child.output

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  protected override def doExecute(): RDD[InternalRow] = {
    val (to, read, under) = (times, Seq(partition, time), child.output)
    child.execute().mapPartitions { rows =>
      val (seen, both) = (new TaskPartitions(to), UnsafeProjection.create(read, under))
      rows.map { row =>
        val one = both(row)
        if (!one.isNullAt(1)) seen.see(one.getUTF8String(0), Math.floorDiv(one.getLong(1), 1000L))
        row
      }
    }
  }

  override protected def doProduce(context: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(context, this)

  override def doConsume(context: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val to    = context.addReferenceObj("times", times, classOf[CollectionAccumulator[_]].getName)
    val maker = classOf[TaskPartitions].getName
    val seen  = context.addMutableState(maker, "partitions", name => s"$name = new $maker($to);")
    context.currentVars = input
    val at = BindReferences.bindReference[Expression](time, child.output).genCode(context)
    context.currentVars = input
    val of = BindReferences.bindReference(partition, child.output).genCode(context)
    s"""
       |${at.code}
       |if (!${at.isNull}) {
       |  ${of.code}
       |  $seen.see(${of.isNull} ? null : ${of.value}, java.lang.Math.floorDiv(${at.value}, 1000L));
       |}
       |${consume(context, input)}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
