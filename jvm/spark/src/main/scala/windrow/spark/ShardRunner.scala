package windrow.spark

import org.apache.spark.sql.catalyst.InternalRow
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Ordered
import windrow.core.operator.Effect
import windrow.core.operator.Entry
import windrow.core.operator.Shard
import windrow.core.operator.Watermark
import windrow.spark.aggregate.ObjectAggregation
import windrow.spark.aggregate.RowAggregation
import windrow.spark.pack.EntryCodec
import windrow.spark.pack.PackRecipe
import windrow.core.state.ShardStore

/** Runs the steps of shards on packets: what the streaming and the batch operator share. */
trait ShardRunner {

  /** One step of one shard; the rows are made as they are taken.
    *
    * @param processingTime
    *   in microseconds
    */
  def step(
      store: ShardStore,
      packets: Iterator[Array[Byte]],
      watermark: Watermark,
      processingTime: Long): Iterator[Array[Byte]]
}

object ShardRunner {

  def apply(recipe: PackRecipe, schema: OutputSchema): ShardRunner =
    if (recipe.functions.fixedWidth) over(new RowAggregation(recipe.functions), recipe, schema)
    else over(new ObjectAggregation(recipe.functions), recipe, schema)

  private def over[L](lifted: Aggregation[L, InternalRow], recipe: PackRecipe, schema: OutputSchema): ShardRunner =
    if (recipe.lane.ordered) {
      val ordered = new Ordered(lifted)
      new Running(ordered, EntryCodec.read(_, lifted.read, ordered.lift), recipe, schema)
    } else new Running[L](lifted, EntryCodec.read[L, L](_, lifted.read, (_, buffer) => buffer), recipe, schema)

  private final class Running[B](
      aggregation: Aggregation[B, InternalRow],
      entries: Array[Byte] => Iterator[Entry[B]],
      recipe: PackRecipe,
      schema: OutputSchema)
      extends ShardRunner {
    private val output = new OutputRow(schema)

    def step(
        store: ShardStore,
        packets: Iterator[Array[Byte]],
        watermark: Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val shard = new Shard(recipe.spec, aggregation, store, recipe.fixed)
      if (packets.isEmpty && isIdle(shard, watermark, processingTime)) Iterator.empty
      else {
        val effects = shard.step(packets.flatMap(entries), watermark, Some(processingTime))
        effects.flatMap(row(_, processingTime)) ++ Iterator.single(()).map(_ => output.counts(shard.counters))
      }
    }

    /** Nothing would happen but that its state is written anew. */
    private def isIdle(shard: Shard[_, _], watermark: Watermark, processingTime: Long): Boolean =
      shard.watermark == watermark && shard.processingDeadline.forall(_ > processingTime)

    private def row(effect: Effect[B, InternalRow], processingTime: Long): Iterator[Array[Byte]] = effect match {
      case Effect.Fire(pane) => Iterator.single(output.pane(pane))
      case Effect.Refuse(entry, reason, watermark) =>
        if (entry.raw == null)
          throw new IllegalStateException(
            s"[ROW_NOT_CARRIED] a message at ${entry.time} was refused ($reason, watermark $watermark) without its row.")
        val bytes = output.rejected(entry.raw, reason, watermark, processingTime)
        if (entry.count == 1) Iterator.single(bytes) else Iterator.fill(entry.count.toInt)(bytes)
    }
  }
}
