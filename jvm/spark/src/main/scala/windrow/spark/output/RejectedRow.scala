package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import windrow.Reason
import windrow.core.time.Watermark
import windrow.spark.rows.RowShape

/** Builds the rejected rows of operators that emit rows instead of panes. A row is valid until the next one.
  *
  * @param message
  *   the type of the rows of the input
  */
private[spark] final class RejectedRow(message: StructType) {
  private val shape   = RowShape(message)
  private val project = UnsafeProjection.create((OutputSchema.Rejection :+ message).toArray[DataType])
  private val reasons =
    Reason.All.map(reason => reason -> UTF8String.fromString(reason.toString)).toMap[Reason, UTF8String]

  def apply(payload: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): UnsafeRow = project(
    InternalRow(reasons(reason), watermark.instant.map(Long.box).orNull, processingTime, shape.of(payload)))
}
