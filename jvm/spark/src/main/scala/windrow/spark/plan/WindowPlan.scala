package windrow.spark.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.FullStateProgram
import windrow.spark.OutputSchema
import windrow.spark.ShardProgram
import windrow.spark.WindowProgram
import windrow.spark.pack._
import windrow.spark.state.StateAbout

/** Puts the window operator in the place of the aggregation that describes it.
  *
  * A message's way, from the bottom of the plan up: input, watermark, its fields as columns (`Messages`), [[Pack]], the
  * shards ([[ShardPlan]]), [[Unpack]], counts observed, and the columns of the output that was asked for (`Outputs`).
  */
object WindowPlan {

  def apply(session: SparkSession, options: QueryOptions, parts: AggregateParts, messages: Messages): LogicalPlan = {
    val window = options.spec.window
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functionResults.map(_.dataType),
      parts.message,
      window,
      panesShowMessage = window.isInstanceOf[Over] && options.kept.isEmpty)
    val shards = ShardPlan.shards(session)
    val (recipe, program) = options.kept match {
      case Some(kept) => keeping(session, kept, options, parts, messages, shards, schema)
      case None       => aggregating(session, options, parts, messages, shards, schema)
    }
    val rows = ShardPlan(packed(messages, parts, recipe), program, messages.now)
    Outputs(session, options, parts, messages.timeType, schema, rows)
  }

  // All of a batch is there at once, so nothing is early.

  private def aggregating(
      session: SparkSession,
      options: QueryOptions,
      parts: AggregateParts,
      messages: Messages,
      shards: Int,
      schema: OutputSchema): (PackRecipe, ShardProgram) = {
    val streaming = parts.child.isStreaming
    val spec      = if (streaming) options.spec else new WindowOperatorSpec(options.spec.draft.copy(early = Never))
    val lane      = LaneChoice(spec, parts.functions, messages.origin.nonEmpty, streaming)
    val recipe    = new PackRecipe(spec, parts.functions, shards, lane)
    def about     = StateAbout.ofAggregates(session, options.name, recipe, parts, messages.timeType)
    (recipe, new WindowProgram(recipe, schema, Option.when(streaming)(about)))
  }

  private def keeping(
      session: SparkSession,
      said: FullStateSpec,
      options: QueryOptions,
      parts: AggregateParts,
      messages: Messages,
      shards: Int,
      schema: OutputSchema): (PackRecipe, ShardProgram) = {
    val streaming = parts.child.isStreaming
    val spec      = if (streaming) said else new FullStateSpec(said.draft.copy(early = Never))
    val fixed     = FullStateProgram.fixed(spec, shards, schema)
    val resolver  = SparkInside.resolver(session)
    val joinKeys  = options.joinKeys.flatMap(name => parts.message.fieldNames.find(resolver(_, name)))
    def about     = StateAbout.ofMessages(spec, options.name, joinKeys, fixed, shards, parts, messages.timeType)
    (
      new PackRecipe(spec.windows, parts.functions, shards, LaneChoice.OfKeptMessages),
      new FullStateProgram(spec, fixed, shards, schema, Option.when(streaming)(about)))
  }

  private def packed(messages: Messages, parts: AggregateParts, recipe: PackRecipe): Pack = {
    val output = Seq(
      AttributeReference("packet", BinaryType, nullable = false)(),
      AttributeReference("shard", IntegerType, nullable = false)()) ++
      Option.when(recipe.lane.sorted)(AttributeReference("order", BinaryType, nullable = false)())
    Pack(
      parts.keys.map(_.toAttribute),
      messages.time.toAttribute,
      messages.gap.map(_.toAttribute),
      messages.origin.map(_.toAttribute),
      parts.inputs.map(_.toAttribute),
      parts.child.output,
      messages.tooFar.map(_.toAttribute),
      recipe,
      output,
      Project(parts.child.output ++ parts.keys ++ messages.columns ++ parts.inputs, messages.child))
  }
}
