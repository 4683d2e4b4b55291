package windrow.spark.arguments

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecProblem
import windrow.spark.functions.NullIfFails
import windrow.spark.input.StreamTable
import windrow.spark.watermark.EventWatermark

/** One of several streams in SQL. Its fields are given as column names, which are the same for all streams.
  *
  * @param problems
  *   problems of names that are not columns
  */
private[spark] final case class NamedInput(
    name: String,
    problems: Seq[SpecProblem],
    private val unmarked: StreamTable) {

  def input(watermark: Option[EventWatermark]): StreamTable = unmarked.copy(watermark = watermark)
}

private[spark] object NamedInput {

  /** Arguments that name columns, in addition to the keys. */
  val Columns: Seq[String] = Seq("time", "source", "partition", "offset", "watermark_by")

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
      arguments.values.get(argument).map(written =>
        argument -> column(session, table, name, argument, written.toString)))
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
        StreamTable.sender(found.get("partition"), found.get("offset")),
        None,
        found.get("watermark_by"),
        found.get("source")))
  }

  def column(
      session: SparkSession,
      table: LogicalPlan,
      stream: String,
      argument: String,
      written: String): Either[SpecProblem, Expression] =
    SparkInside.column(session, table, written).toRight(SpecProblem(
      "COLUMN_NOT_FOUND.STREAM",
      "argument" -> argument,
      "name"     -> written,
      "stream"   -> stream,
      "columns"  -> table.output.map(_.name).mkString(", ")))
}
