package windrow.spark.replay

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import windrow.replay._
import windrow.spark.input.Marks
import windrow.{TimeSpan, WindowKind, WindowOperatorSpec}

/** Runs windows over one stream, with `_windrow_apply` and the spec of the transcript. */
private[replay] abstract class TableSteps(transcript: TranscriptCase, spec: WindowOperatorSpec) extends StepOperator {

  protected def content(pane: Row): Content

  def emission(rows: String => Seq[Row]): Emission =
    Emission(rows("panes").map(StepRows.pane(_, content)), rows("rejected").map(StepRows.rejected(_, Nil)))

  /** Returns the columns of rows, by their role. */
  protected final def fields(input: StepInput): Seq[(String, String)] =
    Seq("time" -> "time") ++ Option.when(spec.window.rowValue.isOwn)("gap" -> "gap") ++
      (if (input.rowId.isDefined || TableSteps.needsOffsets(spec.window))
         Seq("partition" -> "partition", "offset" -> "offset")
       else Nil)

  /** Returns marked columns of an aggregation for these fields. */
  protected final def markers(input: StepInput): Seq[Column] =
    fields(input).map { case (name, column) => Marks.marked(first(column), name) }

  /** Runs the operator of the transcript. */
  protected final def applied(input: StepInput, columns: Seq[Column]): DataFrame = {
    val table = input.table().groupBy("key").agg(columns.head, columns.tail: _*)
    table.createOrReplaceTempView(input.name)
    val node = transcript.specJson.deepCopy()
    node.remove("aggregates")
    node.put("time_unit", transcript.timeUnit.name).put("output", "all")
    if (spec.maxFuture.isDefined) node.putObject("stream").put("watermark", TableSteps.Ages.micros)
    table.sparkSession.sql(
      s"SELECT * FROM _windrow_apply(TABLE(SELECT * FROM ${input.name}), spec => :spec)",
      Map("spec" -> node.toString))
  }
}

private object TableSteps {
  def needsOffsets(window: WindowKind): Boolean = window.goesByOffsets

  /** A watermark delay for Windrow's guarded watermark, so long that the watermark of the transcript always applies. */
  val Ages: TimeSpan = TimeSpan(100000L * 86400000000L)
}

/** Runs windows of aggregates. */
private[replay] final class AggregateSteps(transcript: TranscriptCase, aggregate: OperatorSpec.Aggregate)
    extends TableSteps(transcript, aggregate.spec) {

  def output(input: StepInput): DataFrame =
    applied(input, StepOperator.aggregates(aggregate.aggregates) ++ markers(input))

  protected def content(pane: Row): Content = Content.Values(
    StepOperator.values(aggregate.aggregates)(pane),
    Option.when(aggregate.spec.window.isInstanceOf[windrow.Over]) {
      val message                  = pane.getAs[Row]("message")
      val StoredValue(time, value) = StepRows.stored(message)
      OverMessage(time, value, StepRows.number(message, "partition").map(_.toInt), StepRows.number(message, "offset"))
    })
}
