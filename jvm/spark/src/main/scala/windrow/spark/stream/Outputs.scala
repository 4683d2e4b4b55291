package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.operator.PaneLag
import windrow.spark.functions.PythonValue
import windrow.spark.input.{AggregateParts, GapColumns}
import windrow.spark.output.{ObservedCounts, OutputColumns, OutputKind, OutputPart, OutputSchema}

/** Converts the output of the shards to the columns that users see. */
private[spark] object Outputs {
  import OutputColumns._

  def apply(
      session: SparkSession,
      operator: StreamOperator,
      options: StreamOptions,
      parts: AggregateParts,
      gaps: Option[GapColumns],
      messages: Messages,
      schema: OutputSchema,
      answers: Option[String],
      shards: LogicalPlan,
      number: Int): LogicalPlan = {
    val time = PaneTime.of(schema.window, shards, operator.windows.fold(messages.lag)(messages.lag + PaneLag.ofEnd(_)))
    val panes = Option.when(operator.emits == OutputKind.Panes)(
      OutputPart(
        OutputKind.Panes,
        OutputSchema.PaneKind,
        schema.pane)(paneColumns(session, parts, gaps, messages, schema, _, time)))
    val rejected =
      OutputPart(
        OutputKind.Rejected,
        OutputSchema.RejectedKind,
        schema.rejected)(rejectedColumns(options.name, schema, _))
    val all = (panes.toSeq :+ rejected) ++ operator.outputs(parts, schema, messages.timeType) ++ answers.map(name =>
      OutputPart(OutputKind.Answers, OutputSchema.AnswerKind, schema.answer)(answerColumns(name, schema, _)))
    OutputPart.shown(
      options.name,
      all,
      options.output,
      ObservedCounts(session, options.name, shards, operator.counts, number))
  }

  private def paneColumns(
      session: SparkSession,
      parts: AggregateParts,
      gaps: Option[GapColumns],
      messages: Messages,
      schema: OutputSchema,
      columns: Seq[Attribute],
      time: Metadata): Seq[Alias] = {
    val here = AttributeMap(
      parts.keys.map(_.toAttribute).zip(columns) ++
        (parts.functionResults ++ gaps.toSeq.flatMap(_.added)).zip(columns.drop(schema.resultsAt)))
    def placed(value: Expression)             = value.transform { case a: Attribute => here.getOrElse(a, a) }
    def moved(column: NamedExpression): Alias = Alias(placed(SparkInside.unnamed(column)), column.name)()
    def at(field: Int): Expression            = KnownNotNull(columns(schema.paneAt + field))
    val message = Option.when(schema.panesShowMessage)(Alias(KnownNotNull(columns(schema.messageAt)), "message")())
    val pane = structOf(
      Seq("timing" -> at(2), "index" -> at(3), "is_last" -> at(4), "is_retraction" -> at(5)) ++
        gaps.map(all => "is_gap" -> placed(all.isGap)): _*)
    val window = schema.window match {
      case Some(kind) if kind.goesByOffsets =>
        structOf(
          "source"    -> columns(schema.paneAt + 6),
          "partition" -> KnownNotNull(Cast(columns(schema.paneAt + 7), messages.partitionType)),
          "first"     -> at(0),
          "last"      -> at(1))
      case Some(kind) => windowOf(kind, messages.timeType, at(0), at(1))
      case None       => structOf("number" -> at(0))
    }
    val place = PythonValue.place(SparkInside.zone(session), columns.take(parts.keys.size), window)
    def resulting(column: NamedExpression): Alias = moved(column).transform {
      case value: PythonValue => value.copy(pane = place)
    }.asInstanceOf[Alias]
    val name = Option.when(schema.isNamed)(Alias(at(6), WindowName)())
    (parts.shown.map(moved) ++ name :+ Alias(window, "window")(explicitMetadata = Some(time))) ++
      gaps.fold(parts.results)(_.results).map(resulting) ++ message :+ Alias(pane, "pane")()
  }

  private def rejectedColumns(stream: String, schema: OutputSchema, columns: Seq[Attribute]): Seq[Alias] = {
    val all =
      OutputColumns.rejected(Literal(stream), columns(0), columns(1), columns(2), KnownNotNull(columns.last))
    if (schema.isNamed) (all.head +: Seq(Alias(columns(3), WindowName)())) ++ all.tail else all
  }

  /** The columns of the lookup stream, then the answers. */
  private def answerColumns(name: String, schema: OutputSchema, columns: Seq[Attribute]): Seq[Alias] = {
    val (asks, gets) = (KnownNotNull(columns(0)), KnownNotNull(columns(1)))
    val fields       = schema.answers.toSeq.flatMap(_._1.fields)
    fields.zipWithIndex.map { case (field, i) => Alias(GetStructField(asks, i), field.name)() } :+ Alias(gets, name)()
  }
}
