package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import windrow.spark.output.OutputKind
import windrow.spark.running.RunOptions
import windrow.spark.sinks.Sink

/** The output of an operator that emits rows instead of panes. Each DataFrame that you write separately is a query with
  * its own state; `output` contains all rows in one query.
  */
abstract class RowsOutput private[spark] () {
  private[spark] def part(kind: OutputKind): DataFrame

  private[spark] def explanation: String

  /** Returns the rows. */
  def rows: DataFrame = part(OutputKind.Rows)

  /** Returns rejected rows: `stream`, `reason`, `watermark`, `processing_time`, `message`. If other operators precede
    * this one, their columns are added as in [[Output.rejected]].
    */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** Returns all rows: `kind`, and `rows` or `rejected` as a struct. */
  def output: DataFrame = part(OutputKind.All)

  /** Prints which rows are emitted, when, and how long the state contains a row. */
  def explain(): Unit = println(explanation)

  /** Starts one query that writes rows and rejected rows to their sinks.
    * {{{
    * output.start("checkpoint", rows = Table("rows"), rejected = Files("rejected"))
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param rows
    *   the sink of rows; without one, they are only counted
    * @param rejected
    *   the sink of rejected rows; without one, they are only counted
    * @param queryTrigger
    *   Spark's trigger; see [[Output.start]]
    * @param drain
    *   whether to end the input after all available rows, so that rows that wait are emitted; see [[Output.start]]
    * @param name
    *   the name of the query
    * @return
    *   the running query
    * @throws SpecError
    *   if no sink is given, a sink cannot be written to, or `drain` is set without `AvailableNow`
    * @throws CheckpointError
    *   if the checkpoint belongs to an incompatible query
    */
  def start(
      checkpoint: String,
      rows: Option[Sink] = None,
      rejected: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      drain: Boolean = false,
      name: Option[String] = None): StreamingQuery =
    QueryStart(
      part,
      Seq("rows" -> rows, "rejected" -> rejected),
      RunOptions(checkpoint, queryTrigger, drain, name))
}

/** The output of an operator over one stream. */
abstract class StreamRows private[spark] (plan: StreamPlan) extends RowsOutput {
  private[spark] def part(kind: OutputKind): DataFrame = plan.part(kind)

  private[spark] def explanation: String = plan.explanation
}
