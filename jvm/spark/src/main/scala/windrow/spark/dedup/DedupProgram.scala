package windrow.spark.dedup

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, RowOrdering, SortOrder, UnsafeProjection}
import org.apache.spark.sql.types.{BooleanType, DataType, StructType}
import windrow.core.dedup.{DedupEffect, DedupShard, ReplacedDedup}
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.output.{CountColumns, OutputSchema, PacketOutput, RejectedRow}
import windrow.spark.packet.EntryCodec
import windrow.spark.panes.RetractingProgram
import windrow.spark.query.StateDescriptor
import windrow.spark.rows.RowShape
import windrow.spark.shards.{OperatorRunner, ShardRunner, StepPackets}
import windrow.{DedupSpec, Keep, Reason, TimeSpan}

/** Runs the shards of a deduplication. A row that is kept at once never lags; one that waits until no row can replace it
  * lags by that time.
  *
  * @param message
  *   the type of rows
  * @param orderBy
  *   decides between rows of equal time, over the columns of a row
  * @param replaced
  *   the rules of the deduplication of Spark's that this one replaces. Duplicates are then only counted.
  */
final class DedupProgram(
    spec: DedupSpec,
    val fingerprint: SpecFingerprint,
    val shards: Int,
    message: StructType,
    orderBy: Seq[Expression],
    override val processingTimeDelay: Option[TimeSpan],
    replaced: Option[ReplacedDedup],
    val stream: String,
    override val descriptor: Option[StateDescriptor])
    extends RetractingProgram {
  def spaces: Seq[String] = DedupShard.spaces(spec)

  def retraction: Option[(Int, Int)] =
    Option.when(spec.retracts)((DedupPackets.RowKind, DedupPackets.RetractionAt))

  def hasPeriods: Boolean = processingTimeDelay.isDefined

  /** The watermark of a replaced deduplication is a microsecond later than Spark's; see [[Dedup.behind]]. */
  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] = new Distance(
    if (spec.keep == Keep.Last && !spec.retracts && kind == DedupPackets.RowKind) spec.span.micros
    else replaced.size.toLong)

  def runner(): ShardRunner = new Runner

  private final class Runner extends OperatorRunner[DedupShard] {
    private val output = new DedupPackets(spec, message, replaced.isEmpty)
    private val order  = Option.when(orderBy.nonEmpty)(ofPayloads)

    private def ofPayloads: Ordering[Array[Byte]] = {
      val shape = RowShape(message)
      val rows  = RowOrdering.create(orderBy.map(SortOrder(_, Ascending)), Nil) // its columns are bound
      (a, b) => rows.compare(shape.of(a), shape.of(b))
    }

    protected def open(store: ShardStore): DedupShard =
      new DedupShard(spec, store, fingerprint, guards, order, replaced)

    protected def run(
        shard: DedupShard,
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val messages = packets.others.flatMap(EntryCodec.messages)
      val effects  = shard.step(messages, watermark, Some(processingTime), packets.progress)
      output.packets(effects, (shard.counters, shard.emitted)) {
        case DedupEffect.Keep(one)                    => output.kept(one.payload, isRetraction = false)
        case DedupEffect.Retract(one)                 => output.kept(one.payload, isRetraction = true)
        case DedupEffect.Replace(one, watermark)      => output.replaced(one.payload, watermark, processingTime)
        case DedupEffect.Drop(one, reason, watermark) => output.dropped(one.payload, reason, watermark, processingTime)
      }
    }
  }
}

/** Writes the output of a shard of a deduplication.
  *
  * @param withDuplicates
  *   whether duplicates are written and not only counted
  */
private[dedup] final class DedupPackets(spec: DedupSpec, message: StructType, withDuplicates: Boolean)
    extends PacketOutput(DedupPackets.counts(spec.keep)) {
  private val shape     = RowShape(message)
  private val rejection = new RejectedRow(message)

  private lazy val marked = UnsafeProjection.create(DedupPackets.types(spec, message).toArray)

  def kept(payload: Array[Byte], isRetraction: Boolean): Unit = {
    val row = shape.of(payload)
    put(DedupPackets.RowKind, if (spec.retracts) marked(InternalRow(row, isRetraction)) else row)
  }

  /** Writes a row of an earlier step that is a duplicate now. */
  def replaced(payload: Array[Byte], watermark: Watermark, processingTime: Long): Unit = {
    count(DedupPackets.Replaced)
    reject(payload, Reason.Duplicate, watermark, processingTime)
  }

  def dropped(payload: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): Unit = {
    if (reason == Reason.Duplicate) count(DedupPackets.Copies) else count(reason)
    if (withDuplicates || reason != Reason.Duplicate) reject(payload, reason, watermark, processingTime)
  }

  private def reject(payload: Array[Byte], reason: Reason, watermark: Watermark, processingTime: Long): Unit =
    put(OutputSchema.RejectedKind, rejection(payload, reason, watermark, processingTime))
}

private[dedup] object DedupPackets {

  /** The number of the kind of kept rows. Rejected rows have that of all operators over one stream. */
  val RowKind = 0

  /** The columns of a row if it can be retracted: the row of the input, and whether it is a retraction. */
  def types(spec: DedupSpec, message: StructType): Seq[DataType] =
    if (spec.retracts) Seq(message, BooleanType) else message.map(_.dataType)

  val RetractionAt = 1

  /** Counts the duplicates by key, which the log of the source does not explain, and the rows of earlier micro-batches
    * that have become duplicates.
    */
  def counts(keep: Keep): CountColumns =
    CountColumns(CountColumns.Rows, if (keep == Keep.Last) Seq("copies", CountColumns.Replaced) else Seq("copies"))
  private val Copies   = 0
  private val Replaced = 1
}
