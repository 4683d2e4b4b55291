package windrow.spark.dedup

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.core.dedup.{DedupShard, ReplacedDedup}
import windrow.core.state.SpecFingerprint
import windrow.explain.{Clock, Explanation}
import windrow.spark.fullstate.FullStateParts
import windrow.spark.input.{AggregateParts, ColumnNames}
import windrow.spark.output.{CountColumns, OutputKind, OutputPart, OutputSchema}
import windrow.spark.pack.{PackRecipe, WholeMessages}
import windrow.spark.panes.{ChainLag, Corrections, UpstreamPanes}
import windrow.spark.query.{KeyedSpec, StateDescriptor}
import windrow.spark.shards.ShardProgram
import windrow.spark.stream.{QueryFingerprint, StreamFrame, StreamOperator}

/** The operator that keeps the first or the last row of each group of duplicates. Its rows have the columns of the
  * input, and `is_retraction` if it retracts rows.
  *
  * @param replaced
  *   the rules of the deduplication of Spark's that it replaces, if it replaces one
  */
private[spark] final case class Dedup(spec: DedupSpec, replaced: Option[ReplacedDedup] = None) extends StreamOperator {
  def windows: Option[WindowOperatorSpec] = Some(spec.windows)

  def columns: Seq[String] = Nil

  override def emits: OutputKind    = OutputKind.Rows
  override def counts: CountColumns = DedupPackets.counts(spec.keep)

  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem] =
    Option.when(parts.keys.isEmpty)(SpecProblem("KEY_NOT_STATED.DEDUP")).toSeq ++
      spec.orderBy.flatMap(name => orderOf(session, parts.child, name).left.toOption) ++
      Option.when(spec.retracts)(parts.message.fieldNames.filter(SparkInside.resolver(session)(_, Dedup.IsRetraction)))
        .toSeq.flatten.map(name => SpecProblem("NAME_TAKEN.RETRACTION", "name" -> name))

  private def orderOf(session: SparkSession, input: LogicalPlan, name: String): Either[SpecProblem, Expression] =
    ColumnNames.column(session, input, "orderBy", name).filterOrElse(
      column => RowOrdering.isOrderable(column.dataType),
      SpecProblem("ORDER_NOT_COMPARABLE", "name" -> name))

  /** A row at the watermark is late for Spark. Windrow's watermark is therefore one microsecond later. */
  override def behind(lag: ChainLag.Lag): ChainLag.Lag = new ChainLag.Lag(lag.value - replaced.size)

  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem] = Corrections.kept(before, "dedup()")

  def running(frame: StreamFrame): (PackRecipe, ShardProgram) = {
    import frame._
    val begun = (DedupShard.fingerprint(spec, replaced) :+ QueryFingerprint.shards(shards)) ++ fingerprint.ofMessages ++
      Option.when(spec.keep == Keep.Last)(fingerprint.messages)
    val holds =
      descriptor(StateDescriptor.KeyedState(KeyedSpec.Dedup.replacing(spec, replaced), parts.message, hasOffsets))
    val orderBy = spec.orderBy.flatMap(orderOf(session, parts.child, _).toOption)
      .map(BindReferences.bindReference(_, parts.messageColumns))
    (
      if (replaced.isDefined) new ArrivedRows(spec, parts.functions, shards)
      else new WholeMessages(Some(spec.windows), parts.functions, shards, options.behind),
      new DedupProgram(
        spec,
        new SpecFingerprint(begun),
        shards,
        parts.message,
        orderBy,
        options.behind,
        replaced,
        options.name,
        holds))
  }

  override def outputs(parts: AggregateParts, schema: OutputSchema, timeType: DataType): Seq[OutputPart] = {
    val names = parts.message.fieldNames.toSeq
    Seq(OutputPart(OutputKind.Rows, DedupPackets.RowKind, DedupPackets.types(spec, parts.message)) { columns =>
      val (fields, marks) =
        if (!spec.retracts) (columns, Nil)
        else (
          names.indices.map(at => GetStructField(KnownNotNull(columns.head), at)),
          Seq(Alias(KnownNotNull(columns(DedupPackets.RetractionAt)), Dedup.IsRetraction)()))
      names.zip(fields).map { case (name, field) => Alias(field, name)() } ++ marks
    })
  }

  def explanation(stream: String, clock: Clock): String = Explanation(spec, stream, clock)
}

private[spark] object Dedup {

  /** The column of rows that marks retractions. */
  val IsRetraction = "is_retraction"

  /** Returns the problems of the table and its parts, as [[FullStateParts.of]] does. The key has no columns of its own
    * in the output.
    */
  def parts(
      session: SparkSession,
      table: LogicalPlan,
      key: Option[Seq[String]]): (Seq[SpecProblem], Option[AggregateParts]) = {
    val (found, parts) = FullStateParts.of(session, table, key)
    (found, parts.map(_.copy(shown = Nil, functionResults = Nil, results = Nil)))
  }
}
