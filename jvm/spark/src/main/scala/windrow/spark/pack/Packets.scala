package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import windrow.core.state.ByteReader
import windrow.spark.rows.RowPacket

/** Converts the packets of shards, which are objects, to a binary column. Spark's own node for this is a separate stage
  * of generated code.
  *
  * @param objects
  *   the column of the child. It must be an argument, because Spark's optimizer removes columns that no node reads.
  * @param dropped
  *   the position of the count of rows that are too late, if they count as rows that Spark dropped
  */
private[spark] final case class Packets(packet: Attribute, objects: Attribute, dropped: Option[Int], child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class PacketsExec(
    packet: Attribute,
    objects: Attribute,
    dropped: Option[Int],
    child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute]           = Seq(packet)
  override def producedAttributes: AttributeSet = outputSet

  protected override def doExecute(): RDD[InternalRow] = {
    val column = BindReferences.bindReference[Expression](objects, child.output)
    val count  = metric
    val late   = PacketsExec.count(dropped.getOrElse(0))(_)
    child.execute().mapPartitions { rows =>
      val writer = new UnsafeRowWriter(1, 1 << 10)
      rows.map { row =>
        val packet = column.eval(row).asInstanceOf[Array[Byte]]
        count.foreach(_ += late(packet))
        writer.reset()
        writer.zeroOutNullBytes()
        writer.write(0, packet)
        writer.getRow
      }
    }
  }

  /** The count in the progress of `transformWithState`, which would otherwise stay 0, because Windrow drops no row before
    * its operator.
    */
  private def metric: Option[SQLMetric] = dropped.flatMap(_ =>
    child.collectFirst {
      case shards if shards.metrics.contains(PacketsExec.Dropped) => shards.longMetric(PacketsExec.Dropped)
    })

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private object PacketsExec {
  private val Dropped = "numRowsDroppedByWatermark"

  /** Returns a count of a step, which only the last packet of the step contains. */
  private def count(position: Int)(packet: Array[Byte]): Long =
    RowPacket.counts(ByteReader(packet)).lift(position).getOrElse(0L)
}
