package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import windrow.spark.packet.{PacketFlag, PlacedPacket}

/** Adds an empty packet for each shard to a micro-batch, so that every shard is called (SEMANTICS R75). A timer for
  * each shard would have the same effect but cost six state operations.
  *
  * Columns: `packet` binary, `shard` int, and `order` binary if the order of packets matters.
  */
private[spark] final case class CallShards(shards: Int, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute]   = child.output
  override def references: AttributeSet = child.outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class CallShardsExec(shards: Int, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  protected override def doExecute(): RDD[InternalRow] = {
    val packets         = child.execute()
    val (number, width) = (shards, output.size)
    // A micro-batch without data is without partitions.
    val some = if (packets.getNumPartitions > 0) packets else sparkContext.parallelize(Seq.empty[InternalRow], 1)
    some.mapPartitionsWithIndex((i, rows) => if (i == 0) rows ++ CallShardsExec.calls(number, width) else rows)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private[spark] object CallShardsExec {
  private def calls(shards: Int, width: Int): Iterator[InternalRow] = {
    val writer = new UnsafeRowWriter(width, 0)
    Iterator.range(0, shards).map { shard =>
      writer.reset()
      writer.zeroOutNullBytes()
      writer.write(0, PacketFlag.Call)
      writer.write(1, shard)
      if (width > 2) writer.write(2, PlacedPacket.Anywhere)
      writer.getRow
    }
  }
}
