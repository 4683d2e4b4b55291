package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow.operators.{Context, FullStateWindowOperator, WindowInfo}
import windrow.spark.output.OutputColumns
import windrow.{FullStateSpec, Pane}

/** The operator that keeps its rows. */
private[standalone] final class FullState(session: SparkSession, spec: FullStateSpec, input: Input, format: RowFormat)
    extends StandaloneOperator(
      session,
      Vector(input),
      Seq(s"full state of ${spec.window}", input.stated)) {

  protected type Output  = Pane[UnsafeRow, Seq[Message]]
  protected type Running = FullStateWindowOperator[UnsafeRow, Message]

  private def column(start: Expression, end: Expression) =
    OutputColumns.windowOf(spec.window, input.timeType, start, end)

  private val panes = PaneTable.messages(input, column, format)

  protected def make(context: Context[Message, Output]): Running =
    new FullStateWindowOperator(spec, format, context, input.name)

  protected def written(outputs: Seq[Output]): Array[Byte] =
    panes.table.write(outputs.iterator.map(pane => panes.row(pane, PaneTable.values(pane.value))))

  override protected def query(
      stream: String,
      start: Option[Long],
      end: Option[Long],
      byOffset: Boolean,
      key: Option[UnsafeRow]): Seq[Message] =
    if (byOffset) running.getMessagesByOffset(start, end, key) else running.getMessages(start, end, key)

  private val metadata = {
    val keys  = OutputTable.valuesOfKey(input)
    val start = OutputTable.value("start", LongType, nullable = false)
    val end   = OutputTable.value("end", LongType, nullable = false)
    val rest = Seq(
      OutputTable.value("first_offset", LongType),
      OutputTable.value("last_offset", LongType),
      OutputTable.value("is_complete", BooleanType, nullable = false),
      OutputTable.value("count", LongType, nullable = false))
    new OutputTable((keys :+ start :+ end) ++ rest, (keys :+ Alias(column(start, end), "window")()) ++ rest)
  }

  override def windows(start: java.lang.Long, end: java.lang.Long, key: Array[Byte]): Array[Byte] = active {
    metadata.write(running.getWindows(bound(start), bound(end), keyOf(key)).iterator.map(row))
  }

  private def row(window: WindowInfo[UnsafeRow]): Array[Any] = (OutputTable.ofKey(input, window.key) ++ Seq[Any](
    window.start,
    window.end,
    window.offsets.values.map(_.first).minOption.map(Long.box).orNull,
    window.offsets.values.map(_.last).maxOption.map(Long.box).orNull,
    window.isComplete,
    window.count)).toArray
}
