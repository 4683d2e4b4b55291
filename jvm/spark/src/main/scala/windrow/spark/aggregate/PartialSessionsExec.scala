package windrow.spark.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Combines the rows of a task into sessions before the shuffle, as far as they are near each other; see
  * [[PartialSessions]].
  *
  * Its output contains the keys, the number of rows, their first and last time, their buffers, and the columns that
  * accompany a row that stays separate, which are null for other entries.
  */
private[spark] final case class PartialSessionsExec(columns: SessionColumns, child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute]           = columns.keys ++ columns.buffers ++ columns.rest
  override def producedAttributes: AttributeSet = AttributeSet(columns.buffers)

  protected override def doExecute(): RDD[InternalRow] = {
    val (of, schema) = (columns, child.output)
    child.execute().mapPartitions(rows => new PartialSessions(of, schema).all(rows))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
