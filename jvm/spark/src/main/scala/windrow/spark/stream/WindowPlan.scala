package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow.spark.functions.Failing
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputColumns
import windrow.spark.output.OutputSchema
import windrow.spark.pack._
import windrow.spark.query.Questions
import windrow.spark.shards.GuardSettings
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
    GuardSettings(session) // so that a limit that is not one shows where the query is described
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
    val pack =
      packed(messages, parts, recipe, OutputColumns.metricsOfRead(options.name), operator.windows.isDefined)
    val packets = asked.fold[LogicalPlan](pack)(questions => Union(pack, beside(pack, questions.packets(shards))))
    val rows    = ShardPlan(packets, program, messages.now, messages.lag)
    Outputs(session, operator, options, parts, messages, schema, asked.map(_.column), rows, shards)
  }

  /** Questions have no order among messages: they are answered when a step is done. */
  private def beside(pack: Pack, questions: LogicalPlan): LogicalPlan =
    if (pack.recipe.shuffle.sorted)
      Project(questions.output :+ Alias(Literal(PlacedPacket.Anywhere), "order")(), questions)
    else questions

  /** @param hasTimes
    *   a message without an event time is rejected
    */
  private def packed(
      messages: Messages,
      parts: AggregateParts,
      recipe: PackRecipe,
      metrics: String,
      hasTimes: Boolean): Pack = {
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
      read(messages, parts, hasTimes))
  }

  /** The input with all that is read of its messages. An expression that may fail is evaluated exactly where Spark's own
    * window query would evaluate it (SEMANTICS R94): nothing of a message without an event time, and of others what a function
    * reads where its filter holds.
    */
  private def read(messages: Messages, parts: AggregateParts, hasTimes: Boolean): LogicalPlan = {
    val time = messages.time.toAttribute
    def conditional(column: Alias, value: Expression): Alias = {
      val isConditional = hasTimes && Failing.may(value)
      column.withNewChildren(
        Seq(if (isConditional) Failing.where(IsNotNull(time), value) else value)).asInstanceOf[Alias]
    }
    if (!(parts.keys ++ parts.inputs).exists(column => Failing.may(column.child)))
      Project(parts.child.output ++ parts.keys ++ messages.columns ++ parts.inputs, messages.child)
    else {
      val (filters, values) = parts.inputs.zip(parts.filtered(parts.inputs.map(_.toAttribute))).zipWithIndex.partition {
        case (_, i) => parts.functions.isFilter(i)
      }
      val read  = Project(parts.child.output ++ messages.columns, messages.child)
      val calls = (parts.keys ++ parts.inputs).exists(_.exists(_.isInstanceOf[PythonFuncExpression]))
      val all   = if (hasTimes && calls) Timely(time, read) else read
      val known = Project(
        all.output ++ (parts.keys.map(key => key -> key.child) ++ filters.map(_._1)).map((conditional _).tupled),
        all)
      Project(known.output ++ values.map(_._1).map((conditional _).tupled), known)
    }
  }
}
