package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning, StatefulOpClusteredDistribution}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Declares the distribution and order that [[SortStep]] requires, so that Spark inserts a shuffle and its spilling
  * sort.
  *
  * The distribution must be the one that the stateful operator above requires. With another number of partitions, Spark
  * would shuffle the sorted rows again.
  */
final case class SortStepExec(shard: Attribute, place: Attribute, child: SparkPlan) extends UnaryExecNode {

  /** The number of partitions of the checkpoint. It is fixed at the first start and passed to the query's session;
    * `spark.sql.shuffle.partitions` may change later.
    */
  private def partitions: Int =
    conf.getConfString(SortStepExec.Partitions, conf.numShufflePartitions.toString).toInt

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(StatefulOpClusteredDistribution(Seq(shard), partitions))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(Seq(shard, place).map(SortOrder(_, Ascending)))

  override def output: Seq[Attribute]           = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder]   = child.outputOrdering

  protected override def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private object SortStepExec {

  /** Spark's internal setting. It exists from Spark 4.1 on; Spark 4.0 restores the public one instead. */
  private val Partitions = "spark.sql.streaming.internal.stateStore.partitions"
}
