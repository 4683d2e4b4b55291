package windrow.spark.plan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow._
import windrow.spark.OutputSchema
import windrow.spark.WindowProgram
import windrow.spark.pack._

/** Puts the window operator in the place of the aggregation that describes it.
  *
  * A message's way, from the bottom of the plan up: input, watermark, its fields as columns (`Messages`), [[Pack]], the
  * shards ([[ShardPlan]]), [[Unpack]], counts observed, and the columns of the output that was asked for (`Outputs`).
  */
object WindowPlan {

  def apply(session: SparkSession, options: QueryOptions, parts: AggregateParts, messages: Messages): LogicalPlan = {
    val streaming = parts.child.isStreaming
    val spec      = if (streaming) options.spec else finalPanes(options.spec)
    val lane      = LaneChoice(spec, parts.functions, messages.origin.nonEmpty, streaming)
    val recipe    = new PackRecipe(spec, parts.functions, ShardPlan.shards(session), lane)
    val pack      = packed(messages, parts, recipe)
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functions.resultTypes,
      StructType(messageOf(parts).map(a => StructField(a.name, a.dataType, a.nullable))),
      spec.window)
    val rows = ShardPlan(pack, new WindowProgram(recipe, schema), messages.now)
    Outputs(session, options, parts, messages.timeType, schema, rows)
  }

  /** All of a batch is there at once, so nothing is early. */
  private def finalPanes(spec: WindowOperatorSpec): WindowOperatorSpec =
    new WindowOperatorSpec(spec.draft.copy(early = Never))

  /** The columns of the input, but for those that a co-group marks. */
  private def messageOf(parts: AggregateParts): Seq[Attribute] =
    parts.child.output.filterNot(_.name.startsWith("__windrow_"))

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
      messageOf(parts),
      messages.tooFar.map(_.toAttribute),
      recipe,
      output,
      Project(parts.child.output ++ parts.keys ++ messages.columns ++ parts.inputs, messages.child))
  }
}
