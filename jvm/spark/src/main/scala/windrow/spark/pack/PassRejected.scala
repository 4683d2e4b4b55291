package windrow.spark.pack

import org.apache.spark.Partitioner
import org.apache.spark.rdd.{PartitionPruningRDD, RDD, ShuffledRDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, BindReferences, Expression, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode, UnsafeRowSerializer}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.rows.{RowPacket, Rows}

/** Separates the rejected rows in the packets of an operator whose panes another operator of the same query reads. The
  * [[Unpack]] of the last operator receives them, so that the user's transformations of the panes do not affect them.
  *
  * Output: the packets, one binary column.
  *
  * @param from
  *   the kind of the rejected rows in these packets
  * @param to
  *   their kind for the [[Unpack]] that receives them. No other node of the query uses it.
  */
private[spark] final case class PassRejected(packet: Attribute, from: Int, to: Int, child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute]   = Seq(packet)
  override def references: AttributeSet = AttributeSet(packet)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

/** Lets two readers share one shuffle, so that Spark runs the operator once and repeats a failed task for both. The
  * first partitions of the shuffle are those of the child, in their order. The others contain the rejected rows.
  */
private[spark] final case class PassRejectedExec(packet: Attribute, from: Int, to: Int, child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = Seq(packet)

  @transient private lazy val packets = SparkInside.inMicroBatch(child.execute())

  @transient private lazy val shuffled: RDD[(Int, InternalRow)] = {
    val column     = BindReferences.bindReference[Expression](packet, child.output)
    val (of, as)   = (from, to)
    val partitions = packets.getNumPartitions
    val apart      = math.max(1, math.min(partitions, sparkContext.defaultParallelism))
    val placed = packets.mapPartitionsWithIndex { (partition, rows) =>
      val writer = new UnsafeRowWriter(1, 1 << 10)
      rows.flatMap { row =>
        val bytes    = column.eval(row).asInstanceOf[Array[Byte]]
        val rejected = RowPacket.only(Rows.binary(row, column), of, as)
        Iterator.single((partition, PassRejectedExec.row(writer, bytes))) ++
          rejected.iterator.map(all => (partitions + partition % apart, PassRejectedExec.row(writer, all)))
      }
    }
    new ShuffledRDD[Int, InternalRow, InternalRow](placed, new PassRejectedExec.Places(partitions + apart))
      .setSerializer(new UnsafeRowSerializer(1))
  }

  protected override def doExecute(): RDD[InternalRow] = some(areRejected = false)

  /** The rejected rows, in packets. */
  def rejected: RDD[InternalRow] = some(areRejected = true)

  private def some(areRejected: Boolean): RDD[InternalRow] = {
    val partitions = packets.getNumPartitions
    PartitionPruningRDD.create(shuffled, number => (number >= partitions) == areRejected).map(_._2)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private[spark] object PassRejectedExec {

  private final class Places(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
  }

  /** Copies the row, because a shuffle that sorts holds its rows for a while. */
  private def row(writer: UnsafeRowWriter, packet: Array[Byte]): UnsafeRow = {
    writer.reset()
    writer.zeroOutNullBytes()
    writer.write(0, packet)
    writer.getRow.copy()
  }

  /** Returns all nodes of this class below a node, each once. An operator whose panes are read twice runs twice, with
    * the same rows.
    */
  def below(plan: SparkPlan): Seq[PassRejectedExec] = all(plan).distinctBy(_.to)

  private def all(plan: SparkPlan): Seq[PassRejectedExec] = plan match {
    case stage: QueryStageExec           => all(stage.plan)
    case adaptive: AdaptiveSparkPlanExec => all(adaptive.executedPlan)
    case ReusedExchangeExec(_, exchange) => all(exchange)
    case other =>
      Seq(other).collect { case passing: PassRejectedExec => passing } ++
        (other.children ++ other.subqueries).flatMap(all)
  }
}
