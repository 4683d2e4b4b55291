package windrow.spark.policy

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import windrow.core.aggregate.Aggregation
import windrow.core.operator.Entry
import windrow.core.policy.{PolicyEffect, PolicyEntry, PolicyShard}
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.functions.{ObjectAggregation, RowAggregation}
import windrow.spark.output.{OutputRow, OutputSchema}
import windrow.spark.pack.PackRecipe
import windrow.spark.packet.EntryCodec
import windrow.spark.rows.RowShape
import windrow.spark.shards.{OperatorRunner, ShardProgram, ShardRunner, StepPackets}
import windrow.{By, ByDelta, ByTime, Eviction, PolicyWindowSpec}

/** Runs the shards of policy windows. Every row is sent with its original columns, because events contain them.
  *
  * @param hasEvents
  *   whether the query reads events
  * @param columns
  *   the columns that policies read, by their names, over the original row: numbers as doubles, markers as booleans
  */
final class PolicyProgram(
    spec: PolicyWindowSpec,
    val fingerprint: SpecFingerprint,
    columns: Map[String, Expression],
    recipe: PackRecipe,
    schema: OutputSchema,
    hasEvents: Boolean) extends ShardProgram {
  def shards: Int         = recipe.shards
  def spaces: Seq[String] = PolicyShard.Spaces

  def hasPeriods: Boolean = spec.limits.idle.isDefined || (spec.eviction match {
    case Eviction.Tumbling(by)         => by.isInstanceOf[ByTime]
    case Eviction.Sliding(by, trigger) => Seq(by, trigger).exists(_.isInstanceOf[ByTime])
    case _: Eviction.ByPunctuation     => false
  })

  /** Unbounded, because other rows or processing time decide when a row leaves. */
  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] = Distance.endless

  def runner(): ShardRunner =
    if (recipe.functions.fixedWidth) new Runner(new RowAggregation(recipe.functions))
    else new Runner(new ObjectAggregation(recipe.functions))

  private final class Runner[B](aggregation: Aggregation[B, InternalRow])
      extends OperatorRunner[PolicyShard[B, InternalRow]] {
    private val output = new OutputRow(schema)
    private val shape  = RowShape(schema.message)
    private val fields = columns.map { case (name, column) => name -> UnsafeProjection.create(Seq(column)) }

    protected def open(store: ShardStore): PolicyShard[B, InternalRow] =
      new PolicyShard(spec, aggregation, store, fingerprint, guards, hasEvents, sums = !recipe.functions.dependsOnOrder)

    /** Runs a step. Policy windows ignore the watermark, except at the end of the input. */
    protected def run(
        shard: PolicyShard[B, InternalRow],
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val entries = packets.others.flatMap(EntryCodec.read[B, B](_, aggregation.read, (_, buffer) => buffer)).map(entry)
      val effects = shard.step(entries, Some(processingTime), progress = packets.progress) ++
        (if (watermark.isEnd) shard.finish() else Iterator.empty)
      output.packets(effects, (shard.counters, shard.counters.panes))(write)
    }

    private def write(effect: PolicyEffect[InternalRow]): Unit = effect match {
      case PolicyEffect.Fire(pane)                             => output.pane(pane)
      case PolicyEffect.Happened(key, event, window, sequence) => output.event(key, event, window, sequence)
    }

    private def entry(message: Entry[B]): PolicyEntry[B] = {
      val raw = shape.of(message.raw)
      val (value, mark, isMarker) = spec.eviction match {
        case Eviction.Tumbling(by)         => (measured(by, raw), None, false)
        case Eviction.Sliding(by, trigger) => (measured(by, raw), Some(measured(trigger, raw)), false)
        case Eviction.ByPunctuation(column) =>
          val mark = fields(column)(raw)
          (0.0, None, !mark.isNullAt(0) && mark.getBoolean(0))
      }
      PolicyEntry(message.key, value, isMarker, message.buffer, message.raw, message.origin, mark)
    }

    private def measured(by: By, raw: InternalRow): Double = by match {
      case ByDelta(column, _) => fields(column)(raw).getDouble(0)
      case _                  => 0.0
    }
  }
}
