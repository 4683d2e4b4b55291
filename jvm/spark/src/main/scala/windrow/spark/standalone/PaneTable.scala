package windrow.spark.standalone

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import windrow._
import windrow.core.state.ByteReader
import windrow.spark.output.OutputColumns

/** Converts panes to rows: key, `window`, the values, `pane`.
  *
  * @param isOver
  *   whether each pane shows the row at which its window ends
  * @param values
  *   the values of a pane
  * @param shown
  *   the columns of these values, over the key and the values
  */
final class PaneTable(
    input: Input,
    window: (Expression, Expression) => Expression,
    isOver: Boolean,
    format: RowFormat,
    keys: Seq[Attribute],
    values: Seq[Attribute],
    shown: Seq[NamedExpression]) {

  private val start        = OutputTable.value("start", LongType, nullable = false)
  private val end          = OutputTable.value("end", LongType, nullable = false)
  private val timing       = OutputTable.value("timing", StringType, nullable = false)
  private val index        = OutputTable.value("index", LongType, nullable = false)
  private val isLast       = OutputTable.value("is_last", BooleanType, nullable = false)
  private val isRetraction = OutputTable.value("is_retraction", BooleanType, nullable = false)
  private val message      = Option.when(isOver)(OutputTable.value("message", input.schema, nullable = false)).toSeq

  private val fixed = Seq(start, end, timing, index, isLast, isRetraction)

  val table: OutputTable = new OutputTable(
    keys ++ fixed ++ message ++ values,
    keys ++ Seq(Alias(window(start, end), "window")()) ++ shown ++ message :+ Alias(
      OutputColumns.structOf(Seq(timing, index, isLast, isRetraction).map(field => field.name -> field): _*),
      "pane")())

  def row(pane: Pane[UnsafeRow, _], values: Seq[Any]): Array[Any] = {
    val ends = pane.message.filter(_ => isOver).map(bytes => format.messages.read(ByteReader(bytes)).row)
    (OutputTable.ofKey(input, pane.key) ++
      Seq[Any](
        pane.start,
        pane.end,
        OutputTable.text(pane.timing),
        pane.index,
        pane.isLast,
        pane.isRetraction) ++ ends ++ values).toArray
  }
}

object PaneTable {

  def aggregates(
      input: Input,
      window: (Expression, Expression) => Expression,
      isOver: Boolean,
      format: RowFormat,
      fold: SqlAggregates): PaneTable =
    new PaneTable(
      input,
      window,
      isOver,
      format,
      fold.parts.keys.map(_.toAttribute),
      fold.parts.functionResults,
      fold.parts.results)

  def messages(input: Input, window: (Expression, Expression) => Expression, format: RowFormat): PaneTable = {
    val messages = OutputTable.value("messages", ArrayType(input.schema, containsNull = false), nullable = false)
    new PaneTable(input, window, isOver = false, format, OutputTable.valuesOfKey(input), Seq(messages), Seq(messages))
  }

  def values(fold: SqlAggregates, result: InternalRow): Seq[Any] =
    fold.parts.functionResults.indices.map(i => result.get(i, fold.parts.functionResults(i).dataType))

  def values(messages: Seq[Message]): Seq[Any] = Seq(OutputTable.array(messages.map(_.row)))
}
