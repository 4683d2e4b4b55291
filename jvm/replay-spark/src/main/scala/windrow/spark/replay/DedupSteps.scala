package windrow.spark.replay

import org.apache.spark.sql.{DataFrame, Row}
import windrow.DedupSpec
import windrow.replay._

/** Runs a deduplication. */
private[replay] final class DedupSteps(transcript: TranscriptCase, spec: DedupSpec)
    extends TableSteps(transcript, spec.windows) {

  def output(input: StepInput): DataFrame = applied(input, markers(input))

  override def emission(rows: String => Seq[Row]): Emission = Emission(
    rows = rows("rows").map { row =>
      val StoredValue(time, value) = StepRows.stored(row)
      val message                  = Message(StepRows.key(row), Some(time), value)
      if (spec.retracts && row.getAs[Boolean]("is_retraction")) Emission.retracted(message) else Emission.kept(message)
    },
    rejected = rows("rejected").map(StepRows.rejected(_, Nil)))

  protected def content(pane: Row): Content = throw new IllegalStateException("a deduplication has no panes")
}
