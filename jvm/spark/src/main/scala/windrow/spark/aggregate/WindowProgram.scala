package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.core.operator.{Effect, Entry, ShardFingerprint}
import windrow.core.shard.Shard
import windrow.core.state.{FingerprintField, ShardStore, SpecFingerprint}
import windrow.core.time.Watermark
import windrow.core.trigger.WindowTrigger
import windrow.spark.functions.{FilledAggregation, GapLayout, ObjectAggregation, RowAggregation}
import windrow.spark.output.{OutputRow, OutputSchema}
import windrow.spark.pack.PackRecipe
import windrow.spark.packet.EntryCodec
import windrow.spark.panes.PaneProgram
import windrow.spark.query.StateDescriptor
import windrow.spark.shards.{OperatorRunner, ShardRunner, StepPackets}
import windrow.{ErrorConditions, TimeSpan, WindowOperatorSpec}

/** Runs the shards of windows with aggregates.
  *
  * @param base
  *   the fingerprint without `results`
  * @param results
  *   the result columns, which may not change if panes are retracted; None for an operator of Spark, which retracts none
  */
final class WindowProgram(
    val spec: WindowOperatorSpec,
    base: SpecFingerprint,
    recipe: PackRecipe,
    val schema: OutputSchema,
    override val descriptor: Option[StateDescriptor],
    val spaces: Seq[String],
    gaps: Option[GapLayout] = None,
    results: Option[FingerprintField] = None)
    extends PaneProgram {

  val fingerprint: SpecFingerprint = if (spec.retracts) base.and(results.toSeq: _*) else base

  def stream: String      = descriptor.fold("")(_.name)
  def shards: Int         = recipe.shards
  def hasPeriods: Boolean = processingTimeDelay.isDefined || new WindowTrigger(spec.early, spec.late).hasPeriods

  override def processingTimeDelay: Option[TimeSpan] = recipe.behind

  override def ordersPackets: Boolean =
    spec.retracts && !recipe.shuffle.sorted && !recipe.shuffle.ordered && !recipe.functions.isExact

  def retracting: WindowProgram = {
    val changed = spec.retracting
    new WindowProgram(
      changed,
      base.having(ShardFingerprint.of(changed)),
      recipe,
      schema,
      descriptor.map(_.of(changed)),
      spaces,
      gaps,
      results)
  }

  def runner(): ShardRunner =
    if (recipe.functions.fixedWidth) over(new RowAggregation(recipe.functions))
    else over(new ObjectAggregation(recipe.functions))

  private def over[L](lifted: Aggregation[L, InternalRow]): ShardRunner =
    if (recipe.shuffle.ordered) {
      val ordered = new OrderedAggregation(lifted)
      new Runner(filled(ordered), EntryCodec.read(_, lifted.read, ordered.lift))
    } else new Runner[L](filled(lifted), EntryCodec.read[L, L](_, lifted.read, (_, buffer) => buffer))

  private def filled[B](aggregation: Aggregation[B, InternalRow]): Aggregation[B, InternalRow] =
    gaps.fold(aggregation)(new FilledAggregation(aggregation, _))

  private final class Runner[B](
      aggregation: Aggregation[B, InternalRow],
      entries: Array[Byte] => Iterator[Entry[B]])
      extends OperatorRunner[Shard[B, InternalRow]] {
    private val output = new OutputRow(schema)

    protected def open(store: ShardStore): Shard[B, InternalRow] =
      new Shard(spec, aggregation, store, fingerprint, guards)

    protected def run(
        shard: Shard[B, InternalRow],
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val effects = shard.step(packets.others.flatMap(entries), watermark, Some(processingTime), packets.progress)
      output.packets(new SingleRejections(effects), (shard.counters, shard.counters.panes))(write(_, processingTime))
    }

    private def write(effect: Effect[B, InternalRow], processingTime: Long): Unit = effect match {
      case Effect.Fire(pane) => output.pane(pane)
      case Effect.Reject(entry, reason, watermark, window, _) =>
        if (entry.raw == null)
          throw new IllegalStateException(
            ErrorConditions.message(
              "ROW_NOT_CARRIED",
              "time"      -> entry.time,
              "reason"    -> reason,
              "watermark" -> watermark))
        output.rejected(entry.raw, reason, watermark, processingTime, window)
    }
  }
}

/** Repeats the effect of a rejected entry once for each of the equal rows that it combines. */
private final class SingleRejections[B](effects: Iterator[Effect[B, InternalRow]])
    extends Iterator[Effect[B, InternalRow]] {
  private var effect: Effect[B, InternalRow] = _
  private var left                           = 0L

  def hasNext: Boolean = left > 0 || effects.hasNext

  def next(): Effect[B, InternalRow] = {
    if (left <= 0) {
      effect = effects.next()
      left = effect match {
        case rejection: Effect.Reject[B] => rejection.entry.count
        case _                           => 1
      }
    }
    left -= 1
    effect
  }
}
