package windrow.spark.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode

/** Sessions of messages before they travel, as far as those of a task stand near one another; see [[PartialSessions]].
  *
  * Output: the keys, the number of messages, the first and the last of their times, their buffers, and what goes along with a
  * message that stays by itself, else null.
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
