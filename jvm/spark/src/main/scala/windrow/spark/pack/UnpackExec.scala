package windrow.spark.pack

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.rows.Rows

/** Reads the rows that stand in a binary column. */
final case class UnpackExec(packed: Expression, output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  protected override def doExecute(): RDD[InternalRow] = {
    val (fields, column) = (output.size, BindReferences.bindReference(packed, child.output))
    SparkInside.inMicroBatch(child.execute()).mapPartitions(_.map(row =>
      Rows.of(column.eval(row).asInstanceOf[Array[Byte]], fields)))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}
