package windrow.spark.output

import java.nio.charset.StandardCharsets.UTF_8
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import windrow.core.state.ByteWriter
import windrow.spark.rows.RowFrame
import windrow.{Pane, Timing}

/** Writes the rows of panes. Copies the bytes of the key in the state, of the pane's properties and of the values
  * directly to their place in the row.
  */
private final class PaneRows(schema: OutputSchema) {
  private val results = schema.pane.drop(schema.resultsAt)
  private val row     = new RowFrame(schema.pane.size)
  private val keys    = new row.Part(0, schema.keys)
  private val values  = new row.Part(schema.resultsAt, results)
  private val timings = Timing.All.map(timing => timing -> timing.toString.getBytes(UTF_8)).toMap
  private val at      = schema.paneAt
  private val names   = scala.collection.mutable.HashMap.empty[String, Array[Byte]]

  private lazy val packed = UnsafeProjection.create(results.toArray)

  /** Writes the row, preceded by its size.
    *
    * @param values
    *   results of the functions, and the row if panes contain one
    */
  def write(key: UnsafeRow, pane: Pane[_, _], values: InternalRow, out: ByteWriter): Unit = {
    val inBytes = values match {
      case ready: UnsafeRow => ready
      case other            => packed(other)
    }
    val timing = timings(pane.timing)
    val source =
      if (pane.name.isDefined) names.getOrElseUpdate(pane.name.get, pane.name.get.getBytes(UTF_8))
      else if (pane.partition.isDefined) pane.partition.get.source.getBytes(UTF_8)
      else null
    row.begin(out, keys.apart(key) + row.apart(timing) + row.apart(source) + this.values.apart(inBytes))
    keys.put(key)
    row.put(at, pane.start)
    row.put(at + 1, pane.end)
    row.put(at + 2, timing)
    row.put(at + 3, pane.index)
    row.put(at + 4, pane.isLast)
    row.put(at + 5, pane.isRetraction)
    row.put(at + 6, source)
    if (pane.partition.isEmpty) row.putNull(at + 7) else row.put(at + 7, pane.partition.get.number)
    this.values.put(inBytes)
  }
}
