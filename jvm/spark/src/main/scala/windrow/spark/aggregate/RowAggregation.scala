package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.unsafe.Platform
import windrow.core.aggregate.Aggregation
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** Declarative functions whose buffers have a fixed width: generated code on rows that stand in state as they are. */
final class RowAggregation(set: FunctionSet) extends Aggregation[UnsafeRow, InternalRow] {
  private val functions = set.functions.map(_.asInstanceOf[DeclarativeAggregate])
  private val buffers   = functions.flatMap(_.aggBufferAttributes)

  private val initial = UnsafeProjection.create(functions.flatMap(_.initialValues)).apply(InternalRow.empty).copy()
  private val merge = MutableProjection.create(
    functions.flatMap(_.mergeExpressions),
    buffers ++ functions.flatMap(_.inputAggBufferAttributes))
  private val evaluate = UnsafeProjection.create(functions.map(_.evaluateExpression), buffers)
  private val joined   = new JoinedRow

  def zero: UnsafeRow = initial.copy()

  def combine(left: UnsafeRow, right: UnsafeRow): UnsafeRow = {
    merge.target(left)(joined(left, right))
    left
  }

  def copy(buffer: UnsafeRow): UnsafeRow    = buffer.copy()
  def lower(buffer: UnsafeRow): InternalRow = evaluate(buffer).copy()

  def write(buffer: UnsafeRow, out: ByteWriter): Unit = Rows.write(buffer, out)
  def read(in: ByteReader): UnsafeRow                 = Rows.read(in, buffers.size)
}

/** Rows as byte strings. */
object Rows {

  def write(row: UnsafeRow, out: ByteWriter): Unit = row.getBaseObject match {
    case bytes: Array[Byte] =>
      out.bytes(bytes, (row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, row.getSizeInBytes)
    case _ => out.bytes(row.getBytes)
  }

  /** A row that shares the reader's array. */
  def read(in: ByteReader, fields: Int): UnsafeRow = {
    val start = in.skipBytes()
    val row   = new UnsafeRow(fields)
    row.pointTo(in.array, (Platform.BYTE_ARRAY_OFFSET + start).toLong, in.position - start)
    row
  }

  def of(bytes: Array[Byte], fields: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    row
  }
}
