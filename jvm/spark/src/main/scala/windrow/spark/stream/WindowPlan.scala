package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputColumns
import windrow.spark.output.OutputSchema
import windrow.spark.pack._
import windrow.spark.query.Questions
import windrow.spark.shards.ShardPlan

/** Puts the window operator in the place of the aggregation that describes it.
  *
  * A message's way, from the bottom of the plan up: input, watermark, its fields as columns (`Messages`), [[Pack]], the
  * shards ([[ShardPlan]]), [[Unpack]], counts observed, and the columns of the output that was asked for (`Outputs`).
  */
private[spark] object WindowPlan {

  /** @param asked
    *   what a lookup stream asks
    */
  def apply(
      session: SparkSession,
      operator: StreamOperator,
      options: StreamOptions,
      parts: AggregateParts,
      messages: Messages,
      asked: Option[Questions]): LogicalPlan = {
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functionResults.map(_.dataType),
      parts.message,
      operator.window,
      operator.showsMessage,
      asked.map(questions => (questions.lookups, questions.answer.rowType)))
    val shards = ShardPlan.shards(session)
    val (recipe, program) = operator.running(StreamFrame(
      session,
      options,
      parts,
      messages.origin.nonEmpty,
      messages.timeType,
      shards,
      schema,
      new QueryFingerprint(session, operator.window, options, parts),
      asked.map(_.answer)))
    val pack    = packed(messages, parts, recipe, OutputColumns.metricsOfRead(options.name))
    val packets = asked.fold[LogicalPlan](pack)(questions => Union(pack, beside(pack, questions.packets(shards))))
    val rows    = ShardPlan(packets, program, messages.now)
    Outputs(session, operator, options, parts, messages, schema, asked.map(_.column), rows, shards)
  }

  /** Questions have no order among messages: they are answered when a step is done. */
  private def beside(pack: Pack, questions: LogicalPlan): LogicalPlan =
    if (pack.recipe.shuffle.sorted)
      Project(questions.output :+ Alias(Literal(PlacedPacket.Anywhere), "order")(), questions)
    else questions

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
