package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import windrow.operators.{AggregatedWindowOperator, Context}
import windrow.spark.output.OutputColumns
import windrow.{Pane, WindowOperatorSpec}

/** The operator that emits a value for each window. */
private[standalone] final class AggregateOperator(
    session: SparkSession,
    spec: WindowOperatorSpec,
    input: Input,
    format: RowFormat,
    val fold: SqlAggregates)
    extends StandaloneOperator(
      session,
      Vector(input),
      Seq(s"${spec.window}", fold.stated(input), input.stated),
      fold.read) {

  protected type Output  = Pane[UnsafeRow, InternalRow]
  protected type Running = AggregatedWindowOperator[UnsafeRow, Message, fold.Buffer, InternalRow]

  private val panes = PaneTable.aggregates(
    input,
    OutputColumns.windowOf(spec.window, input.timeType, _, _),
    spec.window.isOfMessage,
    format,
    fold)

  protected def make(context: Context[Message, Output]): Running =
    new AggregatedWindowOperator(spec, format, fold.aggregation, fold.lift, context, input.name)

  protected def written(outputs: Seq[Output]): Array[Byte] =
    panes.table.write(outputs.iterator.map(pane => panes.row(pane, PaneTable.values(fold, pane.value))))
}
