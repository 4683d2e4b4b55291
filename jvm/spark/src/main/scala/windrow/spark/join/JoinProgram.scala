package windrow.spark.join

import windrow.core.join.{JoinEffect, JoinLag, JoinShard, JoinSpaces}
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.query.JoinDescriptor
import windrow.spark.rows.Rows
import windrow.spark.shards.{OperatorRunner, ShardProgram, ShardRunner, StepPackets}
import windrow.{EveryPeriod, JoinSpec}

/** Runs the shards of a join.
  *
  * @param shards
  *   1, unless the join has equality columns
  */
final class JoinProgram(
    spec: JoinSpec,
    val fingerprint: SpecFingerprint,
    val shards: Int,
    schema: JoinSchema,
    override val descriptor: Option[JoinDescriptor])
    extends ShardProgram {
  def spaces: Seq[String] = JoinSpaces.of(spec)
  val hasPeriods: Boolean = spec.early.isInstanceOf[EveryPeriod]

  @transient private lazy val lags = JoinLag.of(spec)

  override def lag(kind: Int, column: Int): Distance[Axis.Time] =
    if (kind != JoinSchema.RowKind) Distance.none
    else if (column == schema.windowAt + 1) JoinLag.ofWindowEnd(spec)
    else lags.lift(column - schema.messagesAt).getOrElse(lags.reduce(JoinLag.most))

  def runner(): ShardRunner = new OperatorRunner[JoinShard] {
    private val output = new JoinOutput(schema)
    private val names  = schema.streams.map(_._1)

    /** Whether a key contains a null, which equals nothing. */
    private def isNull(key: Key): Boolean = Rows.of(key.bytes, schema.keys.size).anyNull

    protected def open(store: ShardStore): JoinShard = new JoinShard(spec, store, isNull, fingerprint, guards)

    protected def run(
        shard: JoinShard,
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val messages = packets.others.flatMap(JoinEntry.read(_, names))
      val effects  = shard.step(messages, watermark, Some(processingTime), packets.progress)
      var rows     = 0L
      output.packets(effects, (shard.counters, rows)) {
        case JoinEffect.Row(row) =>
          rows += 1
          output.row(row)
        case refused: JoinEffect.Refuse => output.rejected(refused, processingTime)
      }
    }
  }
}
