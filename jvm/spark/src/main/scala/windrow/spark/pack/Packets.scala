package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.UnaryNode
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.types.ObjectType

/** The packets that shards give, objects below, as a binary column. Spark's own node for it is a stage of generated code. */
private[spark] final case class Packets(packet: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class PacketsExec(packet: Attribute, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  protected override def doExecute(): RDD[InternalRow] = child.execute().mapPartitions { objects =>
    val writer = new UnsafeRowWriter(1, 1 << 10)
    objects.map { row =>
      writer.reset()
      writer.zeroOutNullBytes()
      writer.write(0, row.get(0, PacketsExec.bytes).asInstanceOf[Array[Byte]])
      writer.getRow
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private object PacketsExec {
  private val bytes = ObjectType(classOf[Array[Byte]])
}
