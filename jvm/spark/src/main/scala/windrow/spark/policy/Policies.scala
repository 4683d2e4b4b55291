package windrow.spark.policy

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType
import windrow._
import windrow.core.policy.PolicyFingerprint
import windrow.core.state.SpecFingerprint
import windrow.explain.{Clock, Explanation}
import windrow.spark.input.AggregateParts
import windrow.spark.output.{OutputColumns, OutputKind, OutputPart, OutputSchema}
import windrow.spark.pack.{PackRecipe, WholeMessages}
import windrow.spark.panes.{Corrections, UpstreamPanes}
import windrow.spark.shards.ShardProgram
import windrow.spark.stream.{QueryFingerprint, StreamFrame, StreamOperator}

/** The operator of policy windows. Its panes contain aggregates. */
private[spark] final case class Policies(spec: PolicyWindowSpec) extends StreamOperator {
  def windows: Option[WindowOperatorSpec] = None

  def columns: Seq[String] = Seq("event", "sequence", "messages")

  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem] =
    PolicyColumns.in(session, spec, parts.child).left.getOrElse(Nil)

  override def withoutOrder(hasOffsets: Boolean, hasTime: Boolean): Option[SpecProblem] =
    Option.unless(hasOffsets || hasTime)(SpecProblem(
      "ORDER_NOT_STATED"))

  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem] = Corrections.kept(before, "a policy")

  def running(frame: StreamFrame): (PackRecipe, ShardProgram) = {
    import frame._
    val all    = if (spec.limits.areShared) 1 else shards
    val recipe = new WholeMessages(None, parts.functions, all)
    val begun = Seq(
      PolicyFingerprint(spec.eviction),
      fingerprint.aggregates,
      QueryFingerprint.shards(all),
      fingerprint.messages) ++ fingerprint.ofMessages
    (
      recipe,
      new PolicyProgram(
        spec,
        new SpecFingerprint(begun),
        PolicyColumns.bound(session, spec, parts),
        recipe,
        schema,
        hasEvents = Seq(OutputKind.Events, OutputKind.All, OutputKind.Accepted).contains(options.output)))
  }

  override def outputs(parts: AggregateParts, schema: OutputSchema, timeType: DataType): Seq[OutputPart] =
    Seq(OutputPart(OutputKind.Events, OutputSchema.EventKind, schema.event)(eventColumns(parts, schema, _)))

  private def eventColumns(parts: AggregateParts, schema: OutputSchema, columns: Seq[Attribute]): Seq[Alias] = {
    val keys                       = AttributeMap(parts.keys.map(_.toAttribute).zip(columns))
    def at(field: Int): Expression = KnownNotNull(columns(schema.eventAt + field))
    parts.shown.map(key => Alias(key.child.transform { case a: Attribute => keys.getOrElse(a, a) }, key.name)()) ++ Seq(
      Alias(OutputColumns.structOf("number" -> at(1)), "window")(),
      Alias(at(0), "event")(),
      Alias(at(2), "sequence")(),
      Alias(at(3), "messages")())
  }

  def explanation(stream: String, clock: Clock): String = Explanation(spec, stream)

  override def unclearRow(hasOffsets: Boolean): Option[String] =
    Option.when(spec.limits != KeyLimits.NotStated)("UPSERT_ROW_UNCLEAR.LIMITS")
}
