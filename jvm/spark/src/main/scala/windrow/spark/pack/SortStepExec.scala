package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Ascending
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.plans.physical.StatefulOpClusteredDistribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.internal.SQLConf

/** Says of [[SortStep]] what its rows must be like; Spark puts a shuffle and its spilling sort beneath.
  *
  * It asks for the very distribution that the stateful operator above asks for. With any other number of partitions Spark
  * would shuffle the sorted rows once more.
  */
final case class SortStepExec(shard: Attribute, place: Attribute, child: SparkPlan) extends UnaryExecNode {

  /** Of the checkpoint, which has it from its first start and tells the query's session; the other setting may change. */
  private def partitions: Int =
    conf.getConf(SQLConf.STATEFUL_SHUFFLE_PARTITIONS_INTERNAL).getOrElse(conf.numShufflePartitions)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(StatefulOpClusteredDistribution(Seq(shard), partitions))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(Seq(shard, place).map(SortOrder(_, Ascending)))

  override def output: Seq[Attribute]           = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder]   = child.outputOrdering

  protected override def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
