package windrow.spark.stream

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow.spark.functions.FailureCheck
import windrow.spark.input.AggregateParts
import windrow.spark.output.{CountColumns, OutputColumns, OutputSchema}
import windrow.spark.pack._
import windrow.spark.packet.PlacedPacket
import windrow.spark.query.Questions
import windrow.spark.shards.{GuardSettings, ShardPlan}

/** Replaces the aggregation that describes a window operator by the plan that runs it.
  *
  * The plan, from bottom to top: the input, the watermark, the fields of rows as columns (`Messages`), [[Pack]], the
  * shards ([[ShardPlan]]), [[Unpack]], the observed counts, and the columns of the requested output (`Outputs`).
  */
private[spark] object WindowPlan {

  /** Plans the operator.
    *
    * @param asked
    *   the questions of a lookup stream
    */
  def apply(
      session: SparkSession,
      operator: StreamOperator,
      options: StreamOptions,
      parts: AggregateParts,
      messages: Messages,
      asked: Option[Questions]): LogicalPlan = {
    val gaps = operator.gapColumns(parts)
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functionResults.map(_.dataType) ++ gaps.toSeq.flatMap(_.added.map(_.dataType)),
      parts.message,
      operator.window,
      operator.showsMessage,
      asked.map(questions => (questions.lookups, questions.answer.rowType)))
    GuardSettings(session) // reports an invalid limit where the query is described
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
    val rows =
      ShardPlan(
        packets,
        program,
        messages.now,
        operator.behind(messages.lag),
        Option.when(options.isAccelerated)(CountColumns.TooLate))
    Outputs(session, operator, options, parts, gaps, messages, schema, asked.map(_.column), rows, shards)
  }

  /** Adds a place to questions. They are not ordered among rows, because they are answered at the end of a step. */
  private def beside(pack: Pack, questions: LogicalPlan): LogicalPlan =
    if (pack.recipe.shuffle.sorted)
      Project(questions.output :+ Alias(Literal(PlacedPacket.Anywhere), "order")(), questions)
    else questions

  /** Plans the packing.
    *
    * @param hasTimes
    *   whether a row without an event time is rejected
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
      messages.value.map {
        case column: Alias => column.toAttribute
        case ofAll         => ofAll
      },
      messages.marks.map(_.toAttribute),
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

  /** Adds all columns that are read of the rows to the input. An expression that may fail is evaluated exactly when
    * Spark's own window query would evaluate it (SEMANTICS R94): never for a row without an event time, and the input
    * of a function only if its filter holds.
    */
  private def read(messages: Messages, parts: AggregateParts, hasTimes: Boolean): LogicalPlan = {
    val time = messages.time.toAttribute
    def conditional(column: Alias, value: Expression): Alias = {
      val isConditional = hasTimes && FailureCheck.may(value)
      column.withNewChildren(
        Seq(if (isConditional) FailureCheck.where(IsNotNull(time), value) else value)).asInstanceOf[Alias]
    }
    val keys = parts.keys ++ messages.marks
    if (!(keys ++ parts.inputs).exists(column => FailureCheck.may(column.child)))
      Project(parts.child.output ++ keys ++ messages.columns ++ parts.inputs, messages.child)
    else {
      val (filters, values) = parts.inputs.zip(parts.filtered(parts.inputs.map(_.toAttribute))).zipWithIndex.partition {
        case (_, i) => parts.functions.isFilter(i)
      }
      val read  = Project(parts.child.output ++ messages.columns, messages.child)
      val calls = (keys ++ parts.inputs).exists(_.exists(_.isInstanceOf[PythonFuncExpression]))
      val all   = if (hasTimes && calls) TimeGate(time, read) else read
      val known = Project(
        all.output ++ (keys.map(key => key -> key.child) ++ filters.map(_._1)).map((conditional _).tupled),
        all)
      Project(known.output ++ values.map(_._1).map((conditional _).tupled), known)
    }
  }
}
