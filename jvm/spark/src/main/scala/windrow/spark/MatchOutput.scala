package windrow.spark

import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow._
import windrow.spark.pattern.Matches
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputKind
import windrow.spark.pack.{PackStrategy, Travel}
import windrow.spark.sinks.Sink
import windrow.spark.stream.{StreamOptions, WindowQuery}

/** The output of a search for a pattern. Each DataFrame that you write separately is a query with its own state; `output`
  * contains all rows in one query.
  */
final class MatchOutput private[spark] (
    stream: StreamOptions,
    inWords: String,
    operator: Either[Seq[SpecProblem], Matches],
    parts: (Seq[SpecProblem], Option[AggregateParts]),
    session: SparkSession) {

  /** Returns the matches: the columns of the key, `match` with `start`, `end`, and `is_retraction`, and the measures.
    * Without measures, `rows` is an array with the `name` and the `row` of each matched row.
    */
  def rows: DataFrame = part(OutputKind.Rows)

  /** Returns rejected rows: `stream`, `reason`, `watermark`, `processing_time`, `message`. If other
    * operators precede this one, their columns are added as in [[Output.rejected]].
    */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** Returns all rows: `kind`, and `rows` or `rejected` as a struct. */
  def output: DataFrame = part(OutputKind.All)

  /** Prints the conditions, and when a match is emitted. */
  def explain(): Unit = println(explanation)

  private[spark] def explanation: String = operator.fold(
    problems => throw SpecError("match", problems),
    one =>
      Travel.described(one.explanation(inWords, stream.clock), SparkInside.plan(output)))

  /** Starts one query that writes matches and rejected rows to their sinks.
    * {{{
    * found.start("checkpoint", rows = Table("matches"), rejected = Files("rejected"))
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param rows
    *   the sink of matches; without one, they are only counted
    * @param rejected
    *   the sink of rejected rows; without one, they are only counted
    * @param queryTrigger
    *   Spark's trigger; see [[Output.start]]
    * @param drain
    *   whether to end the input after all available rows; see [[Output.start]]
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
      HowToRun(checkpoint, queryTrigger, drain, name))

  private def part(kind: OutputKind): DataFrame = {
    SparkInside.addStrategy(session, PackStrategy(session))
    val options = stream.copy(output = kind)
    SparkInside.frame(session, WindowQuery.plan(session, "match", operator.map(_ -> options), parts))
  }
}
