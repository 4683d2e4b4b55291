package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside

/** Writes the rejected rows in the packets of an operator to files, and passes the packets on.
  *
  * @param folder
  *   the folder of the files; see [[RejectedFiles]]
  * @param operator
  *   the name of the operator, with which the names of its files begin
  */
private[spark] final case class WriteRejected(
    folder: String,
    operator: String,
    rejected: RejectedRows,
    packet: Attribute,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute]   = child.output
  override def references: AttributeSet = AttributeSet(packet)

  /** The columns of the files. */
  def columns: StructType = RejectedFiles.schema(rejected)

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan = copy(child = newChild)
}

private[spark] final case class WriteRejectedExec(
    folder: String,
    operator: String,
    rejected: RejectedRows,
    packet: Attribute,
    child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  /** Spark runs it once in each micro-batch, in the thread of the query. */
  protected override def doExecute(): RDD[InternalRow] = {
    val column = BindReferences.bindReference[Expression](packet, child.output)
    val files  = RejectedFiles(session, folder, operator, rejected)
    SparkInside.inMicroBatch(child.execute()).mapPartitionsWithIndex((partition, packets) =>
      files.writing(partition, packets, column))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
