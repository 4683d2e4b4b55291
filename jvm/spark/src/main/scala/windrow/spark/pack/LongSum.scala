package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType

/** The sum of numbers that are never null, 0 of none, for what a micro-batch observes. Of Spark's own each is a tree of
  * expressions that is optimized in every batch, sent to each task and made into code there.
  */
private[spark] final case class LongSum(
    child: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends ImperativeAggregate with UnaryLike[Expression] {
  override def dataType: DataType = LongType
  override def nullable: Boolean  = false

  override val aggBufferAttributes: Seq[AttributeReference] =
    Seq(AttributeReference("sum", LongType, nullable = false)())
  override lazy val inputAggBufferAttributes: Seq[AttributeReference] = aggBufferAttributes.map(_.newInstance())
  override def aggBufferSchema: StructType = new StructType().add("sum", LongType, nullable = false)

  override def initialize(buffer: InternalRow): Unit = buffer.setLong(mutableAggBufferOffset, 0L)

  override def update(buffer: InternalRow, row: InternalRow): Unit =
    add(buffer, child.eval(row).asInstanceOf[Long])

  override def merge(buffer: InternalRow, other: InternalRow): Unit = add(buffer, other.getLong(inputAggBufferOffset))

  private def add(buffer: InternalRow, more: Long): Unit =
    buffer.setLong(mutableAggBufferOffset, buffer.getLong(mutableAggBufferOffset) + more)

  override def eval(buffer: InternalRow): Any = buffer.getLong(mutableAggBufferOffset)

  override def withNewMutableAggBufferOffset(offset: Int): LongSum = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): LongSum   = copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): LongSum = copy(child = newChild)
}

private[spark] object LongSum {
  def of(value: Expression): Expression = AggregateExpression(LongSum(value), Complete, isDistinct = false)
}
