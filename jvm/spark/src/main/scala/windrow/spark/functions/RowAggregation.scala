package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.spark.rows.{RowShape, Rows}

/** Aggregates with declarative functions whose buffers have a fixed width. Generated code works directly on the rows in
  * the state.
  */
final class RowAggregation(set: FunctionSet) extends Aggregation[UnsafeRow, InternalRow] {
  private val functions = set.run.map(_.asInstanceOf[DeclarativeAggregate])
  private val buffers   = functions.flatMap(_.aggBufferAttributes)

  private val initial = UnsafeProjection.create(functions.flatMap(_.initialValues)).apply(InternalRow.empty).copy()
  private val merge = MutableProjection.create(
    functions.flatMap(_.mergeExpressions),
    buffers ++ functions.flatMap(_.inputAggBufferAttributes))
  private val evaluate = UnsafeProjection.create(functions.map(_.evaluateExpression), buffers)
  private val joined   = new JoinedRow
  private val shape    = new RowShape(buffers.map(_.dataType))

  override def isExact: Boolean = set.isExact

  def zero: UnsafeRow = initial.copy()

  def combine(left: UnsafeRow, right: UnsafeRow): UnsafeRow = {
    merge.target(left)(joined(left, right))
    left
  }

  def copy(buffer: UnsafeRow): UnsafeRow    = buffer.copy()
  def lower(buffer: UnsafeRow): InternalRow = evaluate(buffer).copy()

  def write(buffer: UnsafeRow, out: ByteWriter): Unit = Rows.write(buffer, out)
  def read(in: ByteReader): UnsafeRow                 = shape.read(in)
}
