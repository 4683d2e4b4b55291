package windrow.spark.pattern

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.aggregate.Aggregation
import windrow.spark.functions._
import windrow.spark.input.{AggregateParts, PlainText}

/** The measures of matches: aggregates over the rows of a match.
  *
  * @param parts
  *   the aggregates and the expressions of them
  * @param columns
  *   the columns of a row and the number of its name
  */
private[pattern] final case class Measures(parts: AggregateParts, columns: Seq[Attribute]) {

  /** The types of the results of the aggregates. */
  def types: Seq[DataType] = parts.functionResults.map(_.dataType)

  def expressions: Seq[Expression] = parts.inputs.map(_.child) ++ parts.results

  /** The measures as text for the checkpoint. */
  def inWords: String = {
    val text    = new PlainText(columns ++ parts.functionResults)
    val results = parts.results.map(one => s"${one.name}: ${text.typed(one.children.headOption.getOrElse(one))}")
    (text.functions(parts.functions, parts.inputs.map(_.child)) +: results).mkString("; ")
  }

  /** The columns of the output, over the results of the aggregates. */
  def shown(results: Seq[Attribute]): Seq[Alias] = {
    val here = AttributeMap(parts.functionResults.zip(results))
    parts.results.map { column =>
      Alias(SparkInside.unnamed(column).transform { case one: Attribute => here.getOrElse(one, one) }, column.name)()
    }
  }

  /** The inputs of the aggregates, which tasks evaluate. */
  def inputs: Seq[Expression] = parts.filtered().map(RowExpressions.plain)
}

/** Computes the aggregates of a match in a task, from its rows in order. */
private[pattern] final class MatchAggregation(
    functions: FunctionSet,
    inputs: Seq[Expression],
    columns: Seq[Attribute]) {
  private val lift = Lift(functions, inputs, columns)

  private val fold: Iterator[InternalRow] => InternalRow =
    if (functions.fixedWidth) over(new RowAggregation(functions))(identity)
    else over(new ObjectAggregation(functions))(new ObjectBuffer(null, _))

  private def over[L](aggregation: Aggregation[L, InternalRow])(buffer: UnsafeRow => L)(rows: Iterator[InternalRow]) =
    aggregation.lower(rows.map(row => buffer(lift(row).copy())).foldLeft(aggregation.zero)(aggregation.combine))

  /** Returns the results of the aggregates.
    *
    * @param rows
    *   the rows, each with the number of its name
    */
  def apply(rows: Iterator[InternalRow]): InternalRow = fold(rows)
}
