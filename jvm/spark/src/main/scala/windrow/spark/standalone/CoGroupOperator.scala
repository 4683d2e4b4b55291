package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow.operators.{CoGroup, Context, MergedWindowOperator}
import windrow.spark.output.OutputColumns
import windrow.{CoGroupSpec, Pane}

/** The operator that collects the rows of several streams in each window. */
private[standalone] final class CoGroupOperator(
    session: SparkSession,
    spec: CoGroupSpec,
    inputs: IndexedSeq[Input],
    format: RowFormat)
    extends StandaloneOperator(
      session,
      inputs,
      Seq(s"co-group in ${spec.window.window}", inputs.map(_.stated).mkString("; "))) {

  protected type Output  = Pane[UnsafeRow, Vector[Vector[Message]]]
  protected type Running = MergedWindowOperator[UnsafeRow, Message, Vector[(Int, Message)], Vector[Vector[Message]]]

  private val messages = inputs.map(input =>
    OutputTable.value(input.name, ArrayType(input.schema, containsNull = false), nullable = false))

  private val panes = new PaneTable(
    inputs.head,
    OutputColumns.windowOf(spec.window.window, inputs.head.timeType, _, _),
    isOver = false,
    format,
    OutputTable.valuesOfKey(inputs.head),
    messages,
    Seq(Alias(OutputColumns.structOf(messages.map(one => one.name -> one): _*), "messages")()))

  protected def make(context: Context[Message, Output]): Running =
    new MergedWindowOperator(spec.window, spec.streams, format, new CoGroup(inputs.size, format.messages), context)

  protected def written(outputs: Seq[Output]): Array[Byte] = panes.table.write(outputs.iterator.map(pane =>
    panes.row(pane, pane.value.map(some => OutputTable.array(some.map(_.row))))))
}
