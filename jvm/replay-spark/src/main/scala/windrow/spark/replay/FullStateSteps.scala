package windrow.spark.replay

import java.time.Instant
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.{LongType, TimestampType}
import org.apache.spark.sql.{DataFrame, Row}
import windrow.replay._
import windrow.spark.query.StateReader
import windrow.{FullStateSpec, Positions}

/** Runs full state. Questions are answered from the checkpoint while the query runs. */
private[replay] final class FullStateSteps(transcript: TranscriptCase, spec: FullStateSpec)
    extends TableSteps(transcript, spec.windows)
    with Asked {
  import FullStateSteps._

  def output(input: StepInput): DataFrame = applied(input, markers(input))

  protected def content(pane: Row): Content =
    Content.Messages(pane.getSeq[Row](pane.fieldIndex("messages")).map(StepRows.stored))

  def ask(query: Query, state: => Option[StateReader]): Answer = {
    def asked(question: StateReader => DataFrame): Seq[Row] = state.fold(Seq.empty[Row])(question(_).collect().toSeq)
    query match {
      case Query.GetMessages(start, end, key, axis) =>
        val isByTime = axis == Query.ByTime
        val bound    = if (isByTime) time(_) else position(_)
        // Without bounds, this one marks the range as a range of offsets.
        val from = if (isByTime || end.isDefined) start else start.orElse(Some(Long.MinValue))
        Answer.Messages(asked(_.getMessages(
          bound(from),
          bound(end),
          by = Map.empty,
          keyValues = keyed(key))).map(message))
      case Query.GetWindows(start, end, key) =>
        val bound = if (spec.window.bounds == Positions) position(_) else time(_)
        val found = asked(_.getWindows(bound(Some(start)), bound(Some(end)), keyed(key))).map(window)
        Answer.Windows(found.sortBy(row => (row.start, row.end, row.key == Value.Null, row.key)))
      case Query.Counters => throw new IllegalStateException("the driver counts")
    }
  }
}

private object FullStateSteps {
  private def time(micros: Option[Long]): Literal     = Literal.create(micros.map(Long.box).orNull, TimestampType)
  private def position(offset: Option[Long]): Literal = Literal.create(offset.map(Long.box).orNull, LongType)

  private def keyed(key: Option[Scalar]): Map[String, Literal] =
    key.map(one => "key" -> Literal(InputRow.key(one))).toMap

  private def message(row: Row): StoredMessage = StoredMessage(
    StepRows.key(row),
    StepRows.micros(row.getAs[Instant]("time")),
    StepRows.scalar(row),
    StepRows.number(row, "offset"))

  private def window(row: Row): WindowRow = {
    val (start, end) = StepRows.bounds(row.getAs[Row]("window"))
    WindowRow(
      StepRows.key(row),
      start,
      end,
      StepRows.number(row, "first_offset"),
      StepRows.number(row, "last_offset"),
      row.getAs[Long]("count"))
  }
}
