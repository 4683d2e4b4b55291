package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Converts the packets of shards, which are objects, to a binary column. Spark's own node for this is a separate stage
  * of generated code.
  *
  * @param objects
  *   the column of the child. It must be an argument, because Spark's optimizer removes columns that no node reads.
  */
private[spark] final case class Packets(packet: Attribute, objects: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class PacketsExec(packet: Attribute, objects: Attribute, child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  protected override def doExecute(): RDD[InternalRow] = {
    val column = BindReferences.bindReference[Expression](objects, child.output)
    child.execute().mapPartitions { rows =>
      val writer = new UnsafeRowWriter(1, 1 << 10)
      rows.map { row =>
        writer.reset()
        writer.zeroOutNullBytes()
        writer.write(0, column.eval(row).asInstanceOf[Array[Byte]])
        writer.getRow
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
