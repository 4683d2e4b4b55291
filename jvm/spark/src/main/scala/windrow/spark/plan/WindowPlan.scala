package windrow.spark.plan

import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.sql.types._
import windrow._
import windrow.core.operator.FiringPolicy
import windrow.spark.BatchShards
import windrow.spark.OutputSchema
import windrow.spark.WindowProcessor
import windrow.spark.pack._

/** Puts the window operator in the place of the aggregation that describes it.
  *
  * A message's way, from the bottom of the plan up: input, watermark, its fields as columns (`Messages`), [[Pack]], the
  * shards, [[Unpack]], counts observed, and the columns of the output that was asked for (`Outputs`).
  */
object WindowPlan {

  /** Spark setting: into how many shards keys are hashed. A checkpoint keeps the number that it was begun with. */
  val ShardsSetting = "spark.windrow.shards"
  val DefaultShards = 128

  private implicit val int: Encoder[Int]           = Encoders.scalaInt
  private implicit val bytes: Encoder[Array[Byte]] = Encoders.BINARY

  def apply(session: SparkSession, options: QueryOptions, parts: AggregateParts, messages: Messages): LogicalPlan = {
    val streaming = parts.child.isStreaming
    val spec      = if (streaming) options.spec else finalPanes(options.spec)
    val lane      = LaneChoice(spec, parts.functions, messages.origin.nonEmpty, streaming)
    val recipe    = new PackRecipe(spec, parts.functions, shards(session), lane)
    val pack      = packed(messages, parts, recipe)
    val schema = new OutputSchema(
      parts.keys.map(_.dataType),
      parts.functions.resultTypes,
      StructType(parts.child.output.map(a => StructField(a.name, a.dataType, a.nullable))),
      spec.window)
    val shardRows = if (streaming) streamed(pack, recipe, schema) else atOnce(pack, recipe, schema, messages.now)
    Outputs(session, options, parts, messages.timeType, schema, shardRows)
  }

  private def shards(session: SparkSession): Int = {
    val text = session.conf.get(ShardsSetting, DefaultShards.toString)
    text.toIntOption.filter(n => n >= 1 && n <= 32768).getOrElse(throw SpecError(
      ShardsSetting,
      Seq(SpecProblem("SHARDS_NOT_UNDERSTOOD", s"it is '$text'; it must be a whole number from 1 to 32768."))))
  }

  /** All of a batch is there at once, so nothing is early. */
  private def finalPanes(spec: WindowOperatorSpec): WindowOperatorSpec =
    new WindowOperatorSpec(spec.draft.copy(early = Never))

  /** With periods of processing time Spark has to begin batches without data (SEMANTICS R69). */
  private def timeMode(spec: WindowOperatorSpec): TimeMode =
    if (new FiringPolicy(spec.early, spec.late).hasPeriods) TimeMode.ProcessingTime else TimeMode.EventTime

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

  private def streamed(pack: Pack, recipe: PackRecipe, schema: OutputSchema): LogicalPlan = {
    val (packet, shard) = (pack.output.head, pack.output(1))
    val child = if (!recipe.lane.sorted) pack
    else
      SortStep(
        Seq(SortOrder(shard, Ascending), SortOrder(pack.output(2), Ascending)),
        RepartitionByExpression(Seq(shard), pack, None))
    val numbers = Range(0, recipe.shards.toLong, 1, None)
    val number  = Alias(Cast(numbers.output.head, IntegerType), "shard")()
    TransformWithState[Int, Array[Byte], Array[Byte], Int](
      Seq(shard),
      Seq(packet),
      new WindowProcessor(recipe, schema),
      timeMode(recipe.spec),
      OutputMode.Append,
      child,
      Seq(number.toAttribute),
      Seq(number.toAttribute),
      Project(Seq(number), numbers))
  }

  private def atOnce(pack: Pack, recipe: PackRecipe, schema: OutputSchema, now: Long): LogicalPlan =
    MapGroups[Int, Array[Byte], Array[Byte]](
      new BatchShards(recipe, schema, now),
      Seq(pack.output(1)),
      Seq(pack.output.head),
      pack.output.drop(2).map(SortOrder(_, Ascending)),
      pack)
}
