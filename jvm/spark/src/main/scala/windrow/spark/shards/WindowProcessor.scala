package windrow.spark.shards

import org.apache.spark.sql.streaming._
import org.apache.spark.sql.windrow.StateColumn
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.spark.packet.{PacketFlag, PacketMerge, PlacedPacket}

/** Runs a shard as a key of Spark's `transformWithState`. Its input is packets, and its output is rows. It contains no
  * window logic.
  *
  * Every shard is called in each micro-batch ([[CallShards]]), so that idle and busy shards judge lateness in the same
  * way (SEMANTICS R75) and periods end without data. The first shard stores the description of the state, so that both
  * are committed together.
  *
  * @param lag
  *   how far the input rows may be below Spark's watermark (SEMANTICS R95)
  * @param first
  *   the watermark before the first step
  */
final class WindowProcessor(val program: ShardProgram, val lag: Distance[Axis.Time], first: Watermark = Watermark.None)
    extends StatefulProcessor[Int, PlacedPacket.Type, Array[Byte]] {

  @transient private var store: SparkShardStore        = _
  @transient private var notes: Option[DescriptorNote] = None
  @transient private lazy val runner: ShardRunner      = program.runner()

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    store = new SparkShardStore(getHandle, program.spaces)
    notes = program.descriptor.map(new DescriptorNote(getHandle, _))
  }

  override def handleInputRows(
      shard: Int,
      placed: Iterator[PlacedPacket.Type],
      timers: TimerValues): Iterator[Array[Byte]] = step(shard, PacketMerge.inOrder(placed, shard), timers)

  private def watermark(timers: TimerValues): Watermark =
    program.watermark(timers.getCurrentWatermarkInMs(), timers.getCurrentProcessingTimeInMs(), lag)

  private def step(shard: Int, packets: Iterator[Array[Byte]], timers: TimerValues): Iterator[Array[Byte]] = {
    if (shard == 0) notes.foreach(_.keep())
    var isOver = false
    val messages = packets.filter { packet =>
      val isMessages = !PacketFlag.isCall(packet)
      val isEnd      = isMessages && PacketFlag.isEnd(packet)
      isOver ||= isEnd
      isMessages && !isEnd
    }
    runner.step(
      store,
      messages,
      if (isOver) Watermark.End else watermark(timers),
      timers.getCurrentProcessingTimeInMs() * 1000,
      first)
  }
}

/** Stores the description of the state in the state. Writes it only when it changes. */
private final class DescriptorNote(handle: StatefulProcessorHandle, descriptor: OperatorDescriptor) {
  private val kept    = handle.getValueState(OperatorDescriptor.Variable, StateColumn.bytes, TTLConfig.NONE)
  private val bytes   = descriptor.bytes
  private var isThere = false

  def keep(): Unit = if (!isThere) {
    if (!java.util.Arrays.equals(kept.get(), bytes)) kept.update(bytes)
    isThere = true
  }
}
