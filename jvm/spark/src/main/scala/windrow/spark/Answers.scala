package windrow.spark

import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame}
import windrow.spark.input.Marks
import windrow.spark.output.OutputKind
import windrow.spark.query.{LookupKind, LookupStream}
import windrow.spark.running.RunOptions
import windrow.spark.sinks.{PaneTraits, Sink}

/** The output of a query that answers a lookup stream; see [[Output.getMessages]]. Each DataFrame that you write
  * separately is a query with its own state; `output` contains all rows in one query.
  */
final class Answers private[spark] (part: OutputKind => DataFrame) {

  /** Returns answers: the columns of the lookup stream, and `messages` or `windows`, an array. */
  def answers: DataFrame = part(OutputKind.Answers)

  /** Returns panes of the operator that answers: the key columns, `window`, `messages`, `pane`. */
  def panes: DataFrame = part(OutputKind.Panes)

  /** Returns rejected rows: `stream`, `reason`, `watermark`, `processing_time`, `message`. */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** Returns all rows: `kind`, and `answers`, `panes` or `rejected` as a struct. */
  def output: DataFrame = part(OutputKind.All)

  /** Starts one query that writes answers, panes and rejected rows to their sinks.
    * {{{
    * asked.start("checkpoint", answers = Table("answers"), rejected = Files("rejected"))
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param answers
    *   the sink of answers; without one, they are only counted
    * @param panes
    *   the sink of panes; without one, they are only counted
    * @param rejected
    *   the sink of rejected rows; without one, they are only counted
    * @param queryTrigger
    *   Spark's trigger; see [[Output.start]]
    * @param drain
    *   whether to complete all windows at the end of the input; see [[Output.start]]
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
      answers: Option[Sink] = None,
      panes: Option[Sink] = None,
      rejected: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      drain: Boolean = false,
      name: Option[String] = None): StreamingQuery =
    QueryStart(
      part,
      Seq("answers" -> answers, "panes" -> panes, "rejected" -> rejected),
      RunOptions(checkpoint, queryTrigger, drain, name),
      PaneTraits(areParts = true))
}

private[spark] object Answers {

  /** Adds the bounds and values that each lookup asks for to the lookup stream, as marked columns. */
  def asking(
      asked: LookupKind,
      lookups: DataFrame,
      start: Option[Field],
      end: Option[Field],
      key: Map[String, Column],
      by: Map[String, Column]): LookupStream = {
    def marked(mark: String, values: Map[String, Column]) =
      values.values.toSeq.zipWithIndex.map { case (value, i) => s"$mark$i" -> value }
    val marks = start.map("start" -> _.column).toSeq ++ end.map("end" -> _.column) ++
      marked("key", key) ++ marked("by", by)
    val table = Marks.beside(lookups, "the lookups", marks)
    LookupStream(asked, key.keys.toSeq, by.keys.toSeq, SparkInside.plan(table))
  }
}
