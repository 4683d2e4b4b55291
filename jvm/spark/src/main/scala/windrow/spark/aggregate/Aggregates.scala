package windrow.spark.aggregate

import org.apache.spark.sql.SparkSession
import windrow._
import windrow.core.operator.ShardFingerprint
import windrow.core.shard.ShardSpaces
import windrow.core.state.SpecFingerprint
import windrow.explain.{Clock, Explanation}
import windrow.spark.input.{AggregateParts, GapColumns}
import windrow.spark.output.OutputColumns
import windrow.spark.pack.{CombineChoice, PackRecipe}
import windrow.spark.panes.{Corrections, UpstreamPanes}
import windrow.spark.query.{AggregateTexts, StateDescriptor}
import windrow.spark.shards.{GuardSettings, ShardProgram}
import windrow.spark.stream.{QueryFingerprint, StreamFrame, StreamOperator}

/** The operator whose panes contain aggregates. */
private[spark] final case class Aggregates(spec: WindowOperatorSpec) extends StreamOperator {
  def windows: Option[WindowOperatorSpec] = Some(spec)

  def columns: Seq[String] =
    Option.when(showsMessage)("message").toSeq ++ Option.when(spec.window.isNamed)(OutputColumns.WindowName)

  override def showsMessage: Boolean = spec.window.isOfMessage

  override def firesParts: Boolean = spec.accumulation == Discarding

  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem] =
    GuardSettings(session).problems(spec) ++ filled(parts).toSeq.flatMap(_.left.getOrElse(Nil))

  private def filled(parts: AggregateParts) = spec.gapValues.map(GapColumns.of(parts, _))

  override def gapColumns(parts: AggregateParts): Option[GapColumns] = filled(parts).flatMap(_.toOption)

  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem] =
    if (spec.window.takesPanes) Corrections.inherited(before)
    else if (countsRows) Corrections.kept(before, spec.window.toString)
    else Corrections.aggregated(before, spec.window.toString)

  def running(frame: StreamFrame): (PackRecipe, ShardProgram) = {
    import frame._
    CombineChoice.check(session)
    val spec    = if (isStreaming) this.spec else new WindowOperatorSpec(this.spec.draft.copy(early = Never))
    val shuffle = ShuffleChoice(spec, parts.functions, hasOffsets, isStreaming)
    val recipe  = new AggregateRecipe(spec, parts.functions, shards, shuffle, options.behind)
    val layout  = gapColumns(parts).map(_.layout)
    val begun = (ShardFingerprint.of(spec) :+ fingerprint.aggregates :+ QueryFingerprint.shards(shards)) ++
      Option.when(showsMessage)(fingerprint.messages) ++ fingerprint.ofMessages ++ layout.map(fingerprint.ofGaps)
    val holds  = descriptor(StateDescriptor.Aggregates(spec, AggregateTexts.of(session, parts), shuffle.ordered))
    val spaces = ShardSpaces.of(spec, shuffle.ordered, hasOffsets, parts.functions.carries)
    (
      recipe,
      new WindowProgram(
        spec,
        new SpecFingerprint(begun),
        recipe,
        schema,
        holds,
        spaces,
        layout,
        Option.unless(options.isAccelerated)(fingerprint.results)))
  }

  def explanation(stream: String, clock: Clock): String = Explanation(spec, stream, clock)

  override def unclearRow(hasOffsets: Boolean): Option[String] =
    Option.when(showsMessage && !hasOffsets)("UPSERT_ROW_UNCLEAR.OVER")
}
