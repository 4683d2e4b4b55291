package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import scala.util.Try
import windrow.JoinKind
import windrow.spark.input.StreamTable
import windrow.spark.output.{ObservedCounts, OutputColumns, OutputKind, OutputPart}

/** Converts the output of the shards of a join to the columns that users see. */
private[spark] object JoinOutputs {

  /** The name under which a join counts. */
  def name(streams: Seq[String]): String = streams.mkString("_")

  def apply(
      session: SparkSession,
      options: JoinOptions,
      inputs: Seq[StreamTable],
      filter: Option[Expression],
      schema: JoinSchema,
      shards: LogicalPlan): LogicalPlan = {
    val timeType = inputs.head.time.dataType
    val rows     = OutputPart(OutputKind.Rows, JoinSchema.RowKind, schema.row)(rowColumns(options, schema, _, timeType))
    val rejected =
      OutputPart(OutputKind.Rejected, JoinSchema.RejectedKind, schema.rejected)(rejectedColumns(schema, _))
    val operator = name(schema.streams.map(_._1))
    OutputPart.shown(
      operator,
      Seq(
        rows.copy(condition =
          filter.map(JoinCondition.over(_, inputs, rows.rows.head.columns.drop(schema.messagesAt)))),
        rejected),
      options.output,
      ObservedCounts(session, operator, shards, JoinSchema.Counts))
  }

  /** The equality columns once, then one struct per stream (only the first stream for semi and anti joins), then the
    * window that joins them, or `pane` in an as-of join.
    */
  private def rowColumns(
      options: JoinOptions,
      schema: JoinSchema,
      columns: Seq[Attribute],
      timeType: DataType): Seq[Alias] = {
    val how = options.spec.how
    def mayLack(stream: Int) = how match {
      case JoinKind.Full  => true
      case JoinKind.Left  => stream == 1
      case JoinKind.Right => stream == 0
      case _              => false
    }
    options.on.zipWithIndex.map { case (name, i) => Alias(columns(i), name)() } ++
      how.shown(schema.streams).zipWithIndex.map { case ((name, _), stream) =>
        val message = columns(schema.messagesAt + stream)
        Alias(if (mayLack(stream)) message else KnownNotNull(message), name)()
      } ++ schema.windows.map { kind =>
        def edge(at: Int): Expression = KnownNotNull(columns(schema.windowAt + at))
        Alias(OutputColumns.windowOf(kind, timeType, edge(0), edge(1)), "window")()
      } ++ Option.when(schema.isAsOf)(
        Alias(OutputColumns.structOf("is_retraction" -> KnownNotNull(columns(schema.windowAt))), "pane")())
  }

  /** Removes backticks from a column name. They only keep a name with special characters together. */
  def unquoted(name: String): String =
    Try(UnresolvedAttribute.parseAttributeName(name)).toOption.collect { case Seq(only) => only }.getOrElse(name)

  /** The columns of rejected rows. `message` is a struct with one field per stream, of which one is not null. */
  private def rejectedColumns(schema: JoinSchema, columns: Seq[Attribute]): Seq[Alias] = {
    val messages = schema.streams.map(_._1).zip(columns.drop(JoinSchema.Rejection.size))
    OutputColumns.rejected(
      KnownNotNull(columns(0)),
      columns(1),
      columns(2),
      columns(3),
      OutputColumns.structOf(messages: _*))
  }
}
