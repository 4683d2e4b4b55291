package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import windrow.core.operator.SessionMark
import windrow.core.state.Key

/** Reads how a row affects the sessions of its key; see [[Pack]]. */
private[spark] final class MarkReader(marks: Seq[Expression], schema: Seq[Attribute]) {
  private val ends   = UnsafeProjection.create(marks.take(1), schema)
  private val values = UnsafeProjection.create(marks.drop(1), schema)

  /** Returns the mark. A row for which it is unknown whether it ends its session does not end it. */
  def apply(row: InternalRow): SessionMark = {
    val isEnd = ends(row)
    SessionMark(!isEnd.isNullAt(0) && isEnd.getBoolean(0), new Key(values(row).getBytes))
  }
}
