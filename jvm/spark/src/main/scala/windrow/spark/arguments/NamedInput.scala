package windrow.spark.arguments

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.functions.NullIfFails
import windrow.spark.input.StreamTable
import windrow.{SpecProblem, TimeSpan}

/** One of several streams in SQL. Its fields are given as column names, which are the same for all streams.
  *
  * @param problems
  *   problems of names that are not columns
  */
private[spark] final case class NamedInput(
    name: String,
    problems: Seq[SpecProblem],
    private val unmarked: StreamTable) {

  def input(watermark: Option[TimeSpan]): StreamTable = unmarked.copy(watermark = watermark)
}

private[spark] object NamedInput {

  /** Arguments that name columns, in addition to the keys. */
  val Columns: Seq[String] = Seq("time", "partition", "offset")

  /** Reads the fields of a stream.
    *
    * @param time
    *   the event time, unless an argument names it
    */
  def apply(
      session: SparkSession,
      arguments: TableArguments,
      name: String,
      table: LogicalPlan,
      time: Option[Expression],
      keys: Seq[Expression]): NamedInput = {
    val read = Columns.flatMap(argument =>
      arguments.values.get(argument).map(said => argument -> column(session, table, name, argument, said.toString)))
    val found = read.collect { case (argument, Right(column)) => argument -> column }.toMap
    NamedInput(
      name,
      read.collect { case (_, Left(wrong)) => wrong },
      StreamTable(
        name,
        table,
        table.output,
        time.map(NullIfFails.of).orElse(found.get("time")).getOrElse(StreamTable.Timeless),
        keys,
        Seq("partition", "offset").flatMap(found.get),
        None))
  }

  def column(
      session: SparkSession,
      table: LogicalPlan,
      stream: String,
      argument: String,
      said: String): Either[SpecProblem, Expression] =
    SparkInside.column(session, table, said).toRight(SpecProblem(
      "COLUMN_NOT_FOUND.STREAM",
      "argument" -> argument,
      "name"     -> said,
      "stream"   -> stream,
      "columns"  -> table.output.map(_.name).mkString(", ")))
}
