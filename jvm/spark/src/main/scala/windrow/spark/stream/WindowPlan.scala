package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.aggregate.ShuffleChoice
import windrow.spark.aggregate.WindowProgram
import windrow.spark.fullstate.FullStateProgram
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputSchema
import windrow.spark.pack.Pack
import windrow.spark.pack.PackRecipe
import windrow.spark.pack.PlacedPacket
import windrow.spark.policy.PolicyColumns
import windrow.spark.policy.PolicyProgram
import windrow.spark.query.Answering
import windrow.spark.query.Questions
import windrow.spark.query.StateDescriptor
import windrow.spark.shards.GuardSettings
import windrow.spark.shards.ShardPlan
import windrow.spark.shards.ShardProgram

/** Puts the window operator in the place of the aggregation that describes it.
  *
  * A message's way, from the bottom of the plan up: input, watermark, its fields as columns (`Messages`), [[Pack]], the
  * shards ([[ShardPlan]]), [[Unpack]], counts observed, and the columns of the output that was asked for (`Outputs`).
  */
object WindowPlan {

  /** @param asked
    *   what a lookup stream asks of full state
    */
  def apply(
      session: SparkSession,
      options: QueryOptions,
      parts: AggregateParts,
      messages: Messages,
      asked: Option[Questions] = None): LogicalPlan = {
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functionResults.map(_.dataType),
      parts.message,
      options.spec.window,
      panesShowMessage = options.spec match {
        case QuerySpec.Aggregates(spec) => spec.window.isOfMessage
        case _                          => false
      },
      asked.map(questions => (questions.lookups, questions.answering.rowType)))
    val shards            = ShardPlan.shards(session)
    val (recipe, program) = running(session, options, parts, messages, shards, schema, asked.map(_.answering))
    val pack              = packed(messages, parts, recipe, Outputs.metricsOfRead(options.name))
    val packets = asked.fold[LogicalPlan](pack)(questions => Union(pack, beside(pack, questions.packets(shards))))
    val rows    = ShardPlan(packets, program, messages.now)
    Outputs(session, options, parts, messages.timeType, schema, asked.map(_.column), rows)
  }

  /** Questions have no order among messages: they are answered when a step is done. */
  private def beside(pack: Pack, questions: LogicalPlan): LogicalPlan =
    if (pack.recipe.shuffle.sorted)
      Project(questions.output :+ Alias(Literal(PlacedPacket.Anywhere), "order")(), questions)
    else questions

  /** All of a batch is there at once, so nothing is early. */
  private def running(
      session: SparkSession,
      options: QueryOptions,
      parts: AggregateParts,
      messages: Messages,
      shards: Int,
      schema: OutputSchema,
      answering: Option[Answering]): (PackRecipe, ShardProgram) = {
    val streaming                                = parts.child.isStreaming
    def begun(shards: Int)                       = new QueryFingerprint(session, options, parts, shards)
    def inStream(descriptor: => StateDescriptor) = Option.when(streaming)(descriptor)
    options.spec match {
      case QuerySpec.Aggregates(said) =>
        val spec        = if (streaming) said else new WindowOperatorSpec(said.draft.copy(early = Never))
        val shuffle     = ShuffleChoice(spec, parts.functions, messages.origin.nonEmpty, streaming)
        val recipe      = new PackRecipe(Some(spec), parts.functions, shards, shuffle, options.behind)
        val fingerprint = begun(shards).ofAggregates(spec)
        def descriptor  = StateDescriptor.ofAggregates(session, options.name, spec, recipe, parts, messages.timeType)
        (recipe, new WindowProgram(spec, fingerprint, recipe, schema, inStream(descriptor), GuardSettings(session)))
      case QuerySpec.FullState(said) =>
        val spec        = if (streaming) said else new FullStateSpec(said.draft.copy(early = Never))
        val fingerprint = begun(shards).ofFullState(spec, schema.message)
        def descriptor =
          StateDescriptor.ofMessages(
            spec,
            options.name,
            joinKeys(session, options, parts),
            shards,
            parts,
            messages.timeType)
        (
          new PackRecipe(
            Some(spec.windows),
            parts.functions,
            shards,
            ShuffleChoice.OfWholeMessages,
            options.behind),
          new FullStateProgram(spec, fingerprint, shards, schema, answering, options.behind, inStream(descriptor)))
      case QuerySpec.Policies(spec) =>
        val all     = if (spec.limits.areShared) 1 else shards
        val recipe  = new PackRecipe(None, parts.functions, all, ShuffleChoice.OfWholeMessages)
        val columns = PolicyColumns.bound(session, spec, parts)
        (recipe, new PolicyProgram(spec, begun(all).ofPolicies(spec), columns, recipe, schema))
    }
  }

  private def joinKeys(session: SparkSession, options: QueryOptions, parts: AggregateParts): Seq[String] = {
    val resolver = SparkInside.resolver(session)
    options.joinKeys.flatMap(name => parts.message.fieldNames.find(resolver(_, name)))
  }

  private def packed(messages: Messages, parts: AggregateParts, recipe: PackRecipe, metrics: String): Pack = {
    val output = Seq(
      AttributeReference("packet", BinaryType, nullable = false)(),
      AttributeReference("shard", IntegerType, nullable = false)()) ++
      Option.when(recipe.shuffle.sorted)(AttributeReference("order", BinaryType, nullable = false)())
    Pack(
      parts.keys.map(_.toAttribute),
      messages.time.toAttribute,
      messages.gap.map(_.toAttribute),
      messages.origin.map(_.toAttribute),
      messages.pane.map(_.toAttribute),
      parts.inputs.map(_.toAttribute),
      parts.messageColumns,
      messages.tooFar.map(_.toAttribute),
      Nil,
      None,
      metrics,
      recipe,
      output,
      Project(parts.child.output ++ parts.keys ++ messages.columns ++ parts.inputs, messages.child))
  }
}
