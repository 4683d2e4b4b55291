package windrow.spark

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.input.Marks
import windrow.spark.output.OutputKind
import windrow.spark.query.Asked
import windrow.spark.query.Asking

/** A lookup stream with what it asked for; see [[Output.getMessages]]. Each DataFrame written alone is a query with a state
  * of its own; `output` holds all in one.
  */
final class Answers private[spark] (part: OutputKind => DataFrame) {

  /** the columns of the lookup stream, and `messages` or `windows`, an array */
  def answers: DataFrame = part(OutputKind.Answers)

  /** key columns, `window`, `messages`, `pane`: of the operator that is asked */
  def panes: DataFrame = part(OutputKind.Panes)

  /** `stream`, `reason`, `watermark`, `processing_time`, `message` */
  def rejected: DataFrame = part(OutputKind.Rejected)

  /** `kind`, and `answers`, `panes` or `rejected` as a struct */
  def output: DataFrame = part(OutputKind.All)

  /** Starts one query that writes answers, panes and rejected rows to their sinks; see [[Output.start]]. */
  def start(
      checkpoint: String,
      answers: Option[Sink] = None,
      panes: Option[Sink] = None,
      rejected: Option[Sink] = None,
      queryTrigger: Option[Trigger] = None,
      drain: Boolean = false,
      name: Option[String] = None): StreamingQuery =
    QueryStart(
      rejected.fold(part(OutputKind.Accepted))(_ => output),
      Seq("answers" -> answers, "panes" -> panes, "rejected" -> rejected),
      HowToRun(checkpoint, queryTrigger, drain, name),
      isInParts = true)
}

private[spark] object Answers {

  /** The columns of a lookup stream and, marked, what each row asks. */
  def asking(
      asked: Asked,
      lookups: DataFrame,
      start: Option[Field],
      end: Option[Field],
      key: Map[String, Column],
      by: Map[String, Column]): Asking = {
    def marked(mark: String, values: Map[String, Column]) =
      values.values.toSeq.zipWithIndex.map { case (value, i) => s"$mark$i" -> value }
    val marks = start.map("start" -> _.column).toSeq ++ end.map("end" -> _.column) ++
      marked("key", key) ++ marked("by", by)
    val table = Marks.beside(lookups, "the lookups", marks)
    Asking(asked, key.keys.toSeq, by.keys.toSeq, SparkInside.plan(table))
  }
}
