package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions.Expression
import windrow.core.join.{JoinEffect, JoinFrame, JoinLag, JoinShards, JoinSpaces}
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.panes.RetractingProgram
import windrow.spark.query.JoinDescriptor
import windrow.spark.rows.{RowShape, Rows}
import windrow.spark.shards.{OperatorRunner, ShardRunner, StepPackets}
import windrow.{EveryPeriod, JoinSpec, TimeSpan}

/** Runs the shards of a join.
  *
  * @param shards
  *   1, unless the join has equality columns
  * @param replaced
  *   the join of Spark's that this join replaces. Its null keys are equal to each other; the plan removes them where
  *   Spark does.
  * @param condition
  *   an additional condition on a pair; see [[JoinCondition]]
  */
final class JoinProgram(
    spec: JoinSpec,
    val fingerprint: SpecFingerprint,
    val shards: Int,
    schema: JoinSchema,
    override val descriptor: Option[JoinDescriptor],
    override val processingTimeDelay: Option[TimeSpan] = None,
    replaced: Option[ReplacedJoin] = None,
    condition: Option[Expression] = None)
    extends RetractingProgram {
  def stream: String = JoinOutputs.name(schema.streams.map(_._1))

  def retraction: Option[(Int, Int)] =
    Option.when(JoinSchema.corrects(spec))((JoinSchema.RowKind, schema.retractionAt))

  def spaces: Seq[String] = JoinSpaces.of(spec)
  val hasPeriods: Boolean = processingTimeDelay.isDefined || spec.early.isInstanceOf[EveryPeriod]

  @transient private lazy val lags = JoinLag.of(spec)

  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] =
    if (kind != JoinSchema.RowKind) Distance.none
    else if (replaced.isDefined) new Distance(replaced.get.lag + 1) // the lag of the operator is 1 less; see JoinPlan
    else if (column == schema.windowAt + 1) JoinLag.ofWindowEnd(spec)
    else lags.lift(column - schema.messagesAt).getOrElse(lags.reduce(JoinLag.most))

  def runner(): ShardRunner = new OperatorRunner[JoinFrame] {
    private val output = new JoinOutput(schema)
    private val names  = schema.streams.map(_._1)

    private val isPair = {
      val shapes = schema.streams.map { case (_, of) => new RowShape(of.map(_.dataType)) }
      condition.map(JoinCondition.test(_, shapes))
    }

    /** Whether a key contains a null, which equals nothing. */
    private def isNull(key: Key): Boolean = replaced.isEmpty && Rows.of(key.bytes, schema.keys.size).anyNull

    protected def open(store: ShardStore): JoinFrame =
      JoinShards(spec, store, isNull, fingerprint, guards, replaced.map(_.waits), isPair)

    protected def run(
        shard: JoinFrame,
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val messages = packets.others.flatMap(JoinEntry.read(_, names.size))
      val effects  = shard.step(messages, watermark, Some(processingTime), packets.progress)
      var rows     = 0L
      output.packets(effects, (shard.counters, rows)) {
        case JoinEffect.Row(row) =>
          rows += 1
          output.row(row)
        case refused: JoinEffect.Reject => output.rejected(refused, processingTime)
      }
    }
  }
}
