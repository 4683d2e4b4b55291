package windrow.spark.pack

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import windrow.Timing
import windrow.core.operator.IncomingPane
import windrow.core.state.Key

/** Reads a row as a pane of another operator; see [[Pack]]. */
private[spark] final class PaneReader(pane: Seq[Expression], schema: Seq[Attribute]) {
  private val fields  = UnsafeProjection.create(pane.init, schema)
  private val content = UnsafeProjection.create(Seq(pane.last), schema)

  /** Returns the pane, or None if a field is null, the timing is invalid, or the window ends before it starts. */
  def apply(row: InternalRow): Option[IncomingPane] = {
    val values = fields(row)
    for {
      timing <- if (values.anyNull) None else Timing.All.find(_.toString == values.getString(2))
      (start, end) = (values.getLong(0), values.getLong(1)) if start < end
    } yield IncomingPane(
      start,
      end,
      timing,
      values.getBoolean(4),
      new Key(content(row).getBytes))
  }

  /** Returns a number that sorts panes of the same time in the order in which they fired, with a retraction after its
    * pane.
    */
  def place(row: InternalRow): Long = {
    val values = fields(row)
    if (values.anyNull) 0
    else
      Timing.All.indexWhere(_.toString == values.getString(2)).toLong << 56 | values.getLong(3) << 1 |
        (if (values.getBoolean(4)) 1 else 0)
  }
}
