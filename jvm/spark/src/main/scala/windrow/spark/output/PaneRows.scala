package windrow.spark.output

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import windrow.Pane
import windrow.Timing

/** The rows of panes: the key as it stands in the state, what the pane is, and the values, put side by side as bytes. What it
  * needs of Spark's generated code is made with the first pane; most tasks have none.
  */
private final class PaneRows(schema: OutputSchema) {
  private val results = schema.pane.drop(schema.resultsAt)
  private val fields  = new UnsafeRowWriter(OutputSchema.Pane.size, 32)
  private val timings = Timing.All.map(timing => timing -> UTF8String.fromString(timing.toString)).toMap

  private lazy val packed  = UnsafeProjection.create(results.toArray)
  private lazy val withKey = GenerateUnsafeRowJoiner.create(PaneRows.row(schema.keys), PaneRows.row(OutputSchema.Pane))
  private lazy val whole = GenerateUnsafeRowJoiner.create(
    PaneRows.row(schema.keys ++ OutputSchema.Pane),
    PaneRows.row(results))

  /** @param values
    *   results of functions, and the message if panes show it
    */
  def apply(key: UnsafeRow, pane: Pane[_, _], values: InternalRow): UnsafeRow = {
    val inBytes = values match {
      case row: UnsafeRow => row
      case other          => packed(other)
    }
    whole.join(withKey.join(key, about(pane)), inBytes)
  }

  private def about(pane: Pane[_, _]): UnsafeRow = {
    fields.reset()
    fields.zeroOutNullBytes()
    fields.write(0, pane.start)
    fields.write(1, pane.end)
    fields.write(2, timings(pane.timing))
    fields.write(3, pane.index)
    fields.write(4, pane.isLast)
    fields.write(5, pane.isRetraction)
    pane.partition match {
      case Some(of) =>
        fields.write(6, UTF8String.fromString(of.source))
        fields.write(7, of.number)
      case None =>
        fields.setNullAt(6)
        fields.setNullAt(7)
    }
    fields.getRow
  }
}

private object PaneRows {
  private def row(types: Seq[DataType]): StructType =
    types.zipWithIndex.foldLeft(new StructType) { case (row, (of, i)) => row.add(s"c$i", of) }
}
