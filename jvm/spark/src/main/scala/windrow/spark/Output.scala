package windrow.spark

import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.{Column, DataFrame}
import windrow.spark.output.OutputKind
import windrow.spark.query.{LookupKind, LookupStream}
import windrow.spark.running.RunOptions
import windrow.spark.sinks.{PaneTraits, Sink}

/** The output of a windowed stream. Each DataFrame that you write separately is a query with its own state; `output`
  * contains all rows in one query.
  */
final class Output private[spark] (plan: StreamPlan, hasOffsets: Boolean) {

  /** Returns panes: the key columns, `window`, the aggregates or `messages`, and `pane`. */
  def panes: DataFrame = part(OutputKind.Panes)

  /** Returns rejected rows: `stream`, `reason`, `watermark`, `processing_time`, `message`. `watermark` is the one by
    * which the row was judged. If the input contains panes of other operators, there is also one struct for each of
    * these operators, with its name. For a row that such an operator rejected, this struct contains the row and
    * `message` is null.
    */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** Returns the events of policy windows: the key columns, `window`, `event`, `sequence`, `messages`. */
  def events: DataFrame = part(OutputKind.Events)

  /** Returns all rows: `kind`, and `panes`, `rejected` or `events` as a struct. */
  def output: DataFrame = part(OutputKind.All)

  /** Prints when each window fires and how rows are sent to the shards. */
  def explain(): Unit = println(explanation)

  private[spark] def explanation: String = plan.explanation

  /** Answers each row of a lookup stream with the rows that are stored for its key, in the same query. Only for
    * `keepRows()`.
    *
    * A lookup is answered in its own micro-batch, from the state after that micro-batch: new rows have been added, and
    * expired rows have been removed. Use a join for lookups that must wait for later rows.
    * {{{
    * val calls = lookups.withColumn("since", expr("time - INTERVAL 1 HOUR"))
    * orders.getMessages(calls, start = "since", end = "time", key = Map("id" -> col("customer"))).answers
    * }}}
    *
    * @param lookups
    *   the lookup stream
    * @param start
    *   the inclusive lower bound, an expression over `lookups`: a timestamp, or an integer, which is an offset. None
    *   and null mean no bound.
    * @param end
    *   the inclusive upper bound, like `start`
    * @param key
    *   the required value of each key column; by default the columns of `lookups` with the same names
    * @param by
    *   the required value of each column of `index(by = …)`; without an index, of each key column
    * @return
    *   the answers, and the output of this operator
    * @throws SpecError
    *   with every problem of the arguments
    */
  def getMessages(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      key: Map[String, Column] = Map.empty,
      by: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(LookupKind.Messages, lookups, start, end, key, by))

  /** Answers each row of a lookup stream with the windows of its key that overlap a range; see [[getMessages]].
    * {{{
    * orders.getWindows(calls, end = "time", key = Map("id" -> col("customer"))).answers
    * }}}
    *
    * @param lookups
    *   the lookup stream
    * @param start
    *   the lower bound, a timestamp or, for windows on positions, a position
    * @param end
    *   the upper bound, like `start`
    * @param key
    *   the required value of each key column; by default the columns of `lookups` with the same names
    * @return
    *   the answers, and the output of this operator
    * @throws SpecError
    *   with every problem of the arguments
    */
  def getWindows(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      key: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(LookupKind.Windows, lookups, start, end, key, Map.empty))

  private def ask(asking: LookupStream): Answers = {
    val answers = new Answers(plan.part(_, Some(asking)))
    answers.answers // throws a SpecError here, in the call that contains the mistake
    answers
  }

  /** Starts one query that writes panes, rejected rows and events to their sinks.
    * {{{
    * val query = minutes.start("checkpoint", panes = Table("minutes"), rejected = Files("rejected"))
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param panes
    *   the sink of panes; without one, they are only counted
    * @param rejected
    *   the sink of rejected rows; without one, they are only counted
    * @param events
    *   the sink of events of policy windows; without one, they are only counted
    * @param queryTrigger
    *   Spark's trigger. A query with periods of processing time also runs without data, by default every second, so
    *   `processAllAvailable` never returns. `AvailableNow` still ends with the last micro-batch that has data.
    * @param drain
    *   with `AvailableNow`: whether to complete every window after all available rows have been read. The call returns
    *   when only this last part remains. Set it from the first start of a checkpoint on. Rows that arrive later are
    *   late.
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
      panes: Option[Sink] = None,
      rejected: Option[Sink] = None,
      events: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      drain: Boolean = false,
      name: Option[String] = None): StreamingQuery =
    QueryStart(
      part,
      Seq("panes" -> panes, "rejected" -> rejected, "events" -> events),
      RunOptions(checkpoint, queryTrigger, drain, name),
      plan.operator.fold(
        _ => PaneTraits(),
        one => PaneTraits(one.firesParts, one.showsMessage, one.unclearRow(hasOffsets))))

  private def part(kind: OutputKind): DataFrame = plan.part(kind)
}
