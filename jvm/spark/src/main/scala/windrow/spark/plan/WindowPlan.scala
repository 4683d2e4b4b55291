package windrow.spark.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow._
import windrow.spark.FullStateProgram
import windrow.spark.OutputSchema
import windrow.spark.ShardProgram
import windrow.spark.WindowProgram
import windrow.spark.pack._

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
      case Some(kept) => keeping(kept, parts, shards, schema)
      case None       => aggregating(options.spec, parts, messages, shards, schema)
    }
    val rows = ShardPlan(packed(messages, parts, recipe), program, messages.now)
    Outputs(session, options, parts, messages.timeType, schema, rows)
  }

  // All of a batch is there at once, so nothing is early.

  private def aggregating(
      said: WindowOperatorSpec,
      parts: AggregateParts,
      messages: Messages,
      shards: Int,
      schema: OutputSchema): (PackRecipe, ShardProgram) = {
    val streaming = parts.child.isStreaming
    val spec      = if (streaming) said else new WindowOperatorSpec(said.draft.copy(early = Never))
    val lane      = LaneChoice(spec, parts.functions, messages.origin.nonEmpty, streaming)
    val recipe    = new PackRecipe(spec, parts.functions, shards, lane)
    (recipe, new WindowProgram(recipe, schema))
  }

  private def keeping(
      said: FullStateSpec,
      parts: AggregateParts,
      shards: Int,
      schema: OutputSchema): (PackRecipe, ShardProgram) = {
    val spec = if (parts.child.isStreaming) said else new FullStateSpec(said.draft.copy(early = Never))
    (
      new PackRecipe(spec.windows, parts.functions, shards, LaneChoice.OfKeptMessages),
      new FullStateProgram(spec, shards, schema))
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
