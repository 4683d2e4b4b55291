package windrow.spark.pattern

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.core.pattern.MatchShard
import windrow.core.state.{FingerprintField, SpecFingerprint}
import windrow.explain.{Clock, Explanation}
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.{AggregateParts, ColumnNames}
import windrow.spark.output.{CountColumns, OutputColumns, OutputKind, OutputPart, OutputSchema}
import windrow.spark.pack.{PackRecipe, WholeMessages}
import windrow.spark.panes.{Corrections, UpstreamPanes}
import windrow.spark.query.{KeyedSpec, StateDescriptor}
import windrow.spark.shards.ShardProgram
import windrow.spark.stream.{QueryFingerprint, StreamFrame, StreamOperator}

/** The operator that finds the matches of a pattern in the rows of each key. Its rows have the columns of the key,
  * `match`, and the measures, or `rows` if there are none.
  */
private[spark] final case class Matches(spec: MatchSpec) extends StreamOperator {
  def windows: Option[WindowOperatorSpec] = Some(spec.windows)

  def columns: Seq[String] = Seq(MatchDraft.Match)

  override def emits: OutputKind    = OutputKind.Rows
  override def counts: CountColumns = MatchPackets.Counts

  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem] = {
    val resolver = SparkInside.resolver(session)
    val names = parts.shown.map(_.name) ++ (if (spec.measures.isEmpty) Seq(Matches.Rows) else spec.measures.map(_._1))
    Option.when(spec.within.isEmpty && parts.child.isStreaming)(SpecProblem("WITHIN_NOT_STATED.MATCH")).toSeq ++
      MatchColumns.of(session, spec.draft, parts).left.getOrElse(Nil) ++
      ColumnNames.twice(resolver, "the matches", names, "Choose another name for the measure or the key.")
  }

  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem] = Corrections.kept(before, "match()")

  def running(frame: StreamFrame): (PackRecipe, ShardProgram) = {
    import frame._
    val resolved =
      MatchColumns.of(session, spec.draft, parts).getOrElse(throw new IllegalStateException("it was checked"))
    val texts = Seq(
      FingerprintField("conditions", resolved.inWords(spec.names)),
      FingerprintField("measures", resolved.measures.fold("none")(_.inWords))) ++
      Option.when(resolved.zones.nonEmpty)(
        FingerprintField("time zone of conditions and measures", resolved.zones.mkString(", ")))
    val begun = (MatchShard.fingerprint(spec) :+ QueryFingerprint.shards(shards)) ++ texts ++ fingerprint.ofMessages :+
      fingerprint.messages
    val measures = resolved.measures.map(all =>
      MeasureForm(all.parts.functions, all.inputs, all.columns, all.types))
    (
      new WholeMessages(Some(spec.windows), parts.functions, shards, options.behind, sortedFor = None),
      new MatchProgram(
        spec,
        new SpecFingerprint(begun),
        shards,
        MatchForm(parts.keys.map(_.dataType), parts.message, timeType, spec.names, measures),
        resolved.ofRows,
        resolved.readsPrevious,
        resolved.earlier.map(_._1).toIndexedSeq,
        resolved.reads,
        options.behind,
        options.name,
        descriptor(StateDescriptor.KeyedState(KeyedSpec.Match(spec), parts.message, hasOffsets))))
  }

  override def outputs(parts: AggregateParts, schema: OutputSchema, timeType: DataType): Seq[OutputPart] = {
    val measures = MatchColumns.of(SparkSession.active, spec.draft, parts).toOption.flatMap(_.measures)
    val form = MatchForm(
      parts.keys.map(_.dataType),
      parts.message,
      timeType,
      spec.names,
      measures.map(all => MeasureForm(all.parts.functions, Nil, Nil, all.types)))
    Seq(OutputPart(OutputKind.Rows, MatchForm.RowKind, form.types)(shown(parts, form, measures, _)))
  }

  private def shown(
      parts: AggregateParts,
      form: MatchForm,
      measures: Option[Measures],
      columns: Seq[Attribute]): Seq[Alias] = {
    val keys        = AttributeMap(parts.keys.map(_.toAttribute).zip(columns))
    def at(i: Int)  = KnownNotNull(columns(form.keys.size + i))
    val description = OutputColumns.structOf("start" -> at(0), "end" -> at(1), "is_retraction" -> at(2))
    val rest        = columns.drop(form.restAt)
    parts.shown.map(key => Alias(key.child.transform { case a: Attribute => keys.getOrElse(a, a) }, key.name)()) ++
      (Alias(description, MatchDraft.Match)() +:
        measures.fold(Seq(Alias(KnownNotNull(rest.head), Matches.Rows)()))(_.shown(rest)))
  }

  def explanation(stream: String, clock: Clock): String = Explanation(spec, stream, clock)
}

private[spark] object Matches {

  /** The column with the rows of a match if there are no measures. */
  val Rows = "rows"

  /** Adds the problems of conditions and measures to those of a spec, because only a correct spec is planned.
    *
    * @param draft
    *   None if it could not be read
    */
  def withTexts[T](
      session: SparkSession,
      checked: Either[Seq[SpecProblem], T],
      draft: => Option[MatchDraft],
      parts: Option[AggregateParts]): Either[Seq[SpecProblem], T] = checked.left.map(_ ++ (for {
    one   <- draft.toSeq
    taken <- parts.toSeq
    found <- MatchColumns.of(session, one, taken).left.getOrElse(Nil)
  } yield found))

  /** Returns the problems of the table and its parts, as [[FullStateParts.of]] does. */
  def parts(
      session: SparkSession,
      table: LogicalPlan,
      key: Option[Seq[String]]): (Seq[SpecProblem], Option[AggregateParts]) = {
    val (found, parts) = FullStateParts.of(session, table, key)
    (found, parts.map(_.copy(functionResults = Nil, results = Nil)))
  }
}
