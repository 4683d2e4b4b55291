package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform
import windrow.spark.rows.RowPacket

/** The sum of a count of packets, read where the packets stand. For its own `sum` Spark generates code anew in each task, which
  * costs more than all that the few packets of a task do.
  *
  * @param child
  *   the packet
  */
private[spark] final case class PacketSum(
    child: Expression,
    number: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0)
    extends ImperativeAggregate
    with UnaryLike[Expression] {
  override def dataType: DataType = LongType
  override def nullable: Boolean  = false

  override lazy val aggBufferAttributes: Seq[AttributeReference] =
    Seq(AttributeReference("sum", LongType, nullable = false)())
  override lazy val inputAggBufferAttributes: Seq[AttributeReference] = aggBufferAttributes.map(_.newInstance())
  override def aggBufferSchema: StructType = DataTypeUtils.fromAttributes(aggBufferAttributes)

  override def initialize(buffer: InternalRow): Unit                = buffer.setLong(mutableAggBufferOffset, 0L)
  override def update(buffer: InternalRow, row: InternalRow): Unit  = add(buffer, count(row))
  override def merge(buffer: InternalRow, other: InternalRow): Unit = add(buffer, other.getLong(inputAggBufferOffset))
  override def eval(buffer: InternalRow): Any                       = buffer.getLong(mutableAggBufferOffset)

  private def add(buffer: InternalRow, more: Long): Unit =
    buffer.setLong(mutableAggBufferOffset, buffer.getLong(mutableAggBufferOffset) + more)

  private def count(row: InternalRow): Long = (child, row) match {
    case (BoundReference(column, _, _), row: UnsafeRow) =>
      RowPacket.count(row.getBaseObject, row.getBaseOffset + (row.getLong(column) >>> 32), number)
    case _ => RowPacket.count(child.eval(row).asInstanceOf[Array[Byte]], Platform.BYTE_ARRAY_OFFSET.toLong, number)
  }

  override def withNewMutableAggBufferOffset(offset: Int): PacketSum            = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): PacketSum              = copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
}
