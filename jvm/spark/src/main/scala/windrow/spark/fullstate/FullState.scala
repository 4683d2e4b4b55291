package windrow.spark.fullstate

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.core.operator.ShardFingerprint
import windrow.core.state.{FingerprintField, SpecFingerprint}
import windrow.explain.{Clock, Explanation}
import windrow.spark.input.{AggregateParts, PlainText}
import windrow.spark.pack.{PackRecipe, WholeMessages}
import windrow.spark.panes.{Corrections, UpstreamPanes}
import windrow.spark.query.StateDescriptor
import windrow.spark.shards.ShardProgram
import windrow.spark.stream.{QueryFingerprint, StreamFrame, StreamOperator}

/** The operator that keeps rows. Its panes contain rows. */
private[spark] final case class FullState(spec: FullStateSpec) extends StreamOperator {
  def windows: Option[WindowOperatorSpec] = Some(spec.windows)

  def columns: Seq[String] = Seq("message", "messages")

  override def kept: Option[FullStateSpec] = Some(spec)

  override def firesParts: Boolean = true

  def problems(session: SparkSession, parts: AggregateParts): Seq[SpecProblem] = Nil

  def corrections(before: Seq[UpstreamPanes]): Seq[SpecProblem] = Corrections.kept(before, "messages()")

  def running(frame: StreamFrame): (PackRecipe, ShardProgram) = {
    import frame._
    val spec = if (isStreaming) this.spec else new FullStateSpec(this.spec.draft.copy(early = Never))
    val begun = Seq(
      FingerprintField("windows", s"full state of ${spec.window}"),
      FingerprintField("messages", PlainText.of(parts.message)),
      QueryFingerprint.shards(shards),
      ShardFingerprint.lateness(spec.window, spec.lateness)) ++
      ShardFingerprint.retained(spec.window, spec.draft.retention) ++
      ShardFingerprint.starts(spec.window, spec.startOffsets) ++ fingerprint.ofMessages
    val resolver = SparkInside.resolver(session)
    val indexed  = options.indexed.flatMap(name => parts.message.fieldNames.find(resolver(_, name)))
    val holds    = descriptor(StateDescriptor.Messages(spec, parts.message, indexed))
    (
      new WholeMessages(Some(spec.windows), parts.functions, shards, options.behind),
      new FullStateProgram(
        spec,
        new SpecFingerprint(begun),
        shards,
        schema,
        answer,
        options.behind,
        holds))
  }

  def explanation(stream: String, clock: Clock): String =
    Explanation(spec.windows, stream, clock, keepsMessages = true)
}
