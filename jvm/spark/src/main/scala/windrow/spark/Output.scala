package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.explain.Clock
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputKind
import windrow.spark.pack.PackStrategy
import windrow.spark.pack.Travel
import windrow.spark.query.Asked
import windrow.spark.query.Asking
import windrow.spark.stream.StreamOperator
import windrow.spark.stream.StreamOptions
import windrow.spark.stream.WindowQuery

/** What comes out. Each DataFrame written alone is a query with a state of its own; `output` holds both in one. */
final class Output private[spark] (
    stream: StreamOptions,
    inWords: String,
    hasOffsets: Boolean,
    window: String,
    operator: Either[Seq[SpecProblem], StreamOperator],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession) {

  /** key columns, `window`, aggregates or `messages`, `pane` */
  def panes: DataFrame = part(OutputKind.Panes)

  /** `stream`, `reason`, `watermark`, `processing_time`, `message`. Where the input has panes of other operators, also a
    * struct for each of these by its name: a row that it rejected, whose `message` is null.
    */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** Of windows by policies: key columns, `window`, `event`, `sequence`, `messages` */
  def events: DataFrame = part(OutputKind.Events)

  /** `kind`, and `panes`, `rejected` or `events` as a struct */
  def output: DataFrame = part(OutputKind.All)

  /** Prints what each window waits for, and how messages travel. */
  def explain(): Unit = println(explanation)

  private[spark] def explanation: String = operator.fold(
    problems => throw SpecError(window, problems),
    one =>
      Travel.told(one.explanation(inWords, Clock(stream.watermark, stream.behind)), SparkInside.plan(output)))

  /** Answers each row of a lookup stream with the messages that its key keeps, in one query; for `keepRows()`.
    *
    * A row is answered in the micro-batch that it comes with, by what is kept once the messages of that micro-batch are in
    * and what leaves with its watermark has left. Rows that are to wait for messages need a join.
    *
    * @param start
    *   of a closed range, an expression of a lookup: a timestamp, or a whole number, which is an offset; None and null: open
    * @param key
    *   for each key column what it must be; none: the lookups have columns of these names
    * @param by
    *   for each column of `index(by = …)`, the value that it must have; without an index, for each column of the key
    * @throws SpecError
    *   with everything that is wrong
    */
  def getMessages(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      key: Map[String, Column] = Map.empty,
      by: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(Asked.Messages, lookups, start, end, key, by))

  /** Answers each row of a lookup stream with the windows of its key that overlap a range; see [[getMessages]]. Bounds are
    * timestamps, or positions for windows on positions.
    */
  def getWindows(
      lookups: DataFrame,
      start: Option[Field] = None,
      end: Option[Field] = None,
      key: Map[String, Column] = Map.empty): Answers =
    ask(Answers.asking(Asked.Windows, lookups, start, end, key, Map.empty))

  private def ask(asking: Asking): Answers = {
    val answers = new Answers(part(_, Some(asking)))
    answers.answers // so that mistakes show where they are made
    answers
  }

  /** Starts one query that writes panes, rejected rows and events of policies to their sinks; rows without a sink are
    * counted only.
    *
    * @param queryTrigger
    *   of the query; with periods of processing time it goes on without data, each second if nothing is said, so that
    *   `processAllAvailable` would wait for ever; `AvailableNow` ends with the last batch of data
    * @param drain
    *   with `AvailableNow`: once all that is there is in, every window completes; the call returns when only this is left
    *   to run. It must be said from the first start of a checkpoint on, and what comes after it is late
    * @throws SpecError
    *   if there is nothing to write to, or nothing to wait for
    * @throws CheckpointError
    *   if the checkpoint was begun with what may not change
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
      rejected.fold(part(OutputKind.Accepted))(_ => output),
      Seq("panes" -> panes, "rejected" -> rejected, "events" -> events),
      HowToRun(checkpoint, queryTrigger, drain, name),
      operator.exists(_.firesParts),
      panes.toSeq.flatMap(sink =>
        operator.toOption.toSeq.flatMap(one => one.unclearRow(hasOffsets) ++ calledMessage(one)).flatMap(sink.unclear)))

  /** A result of this name would be taken for the message by which rows of `Over` are found. */
  private def calledMessage(one: StreamOperator): Option[String] =
    Option.when(!one.showsMessage && panes.columns.contains("message"))("NAME_TAKEN.UPSERT")

  private def part(kind: OutputKind, asking: Option[Asking] = None): DataFrame = {
    SparkInside.addStrategy(session, PackStrategy(session))
    val options = stream.copy(output = kind)
    SparkInside.frame(session, WindowQuery.plan(session, window, operator.map(_ -> options), parts, asking))
  }
}
