package windrow.spark.shards

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.streaming._
import windrow.core.time.Watermark
import windrow.spark.pack.PacketFlag
import windrow.spark.pack.PlacedPacket

/** A shard as a key of Spark's `transformWithState`: packets in, output rows out; no window logic here.
  *
  * Every shard exists from the first batch and keeps one timer behind the clock of its mode, so that it is called whenever
  * that moves: lateness is judged alike in idle and in busy shards (SEMANTICS R75), and periods end without data. The first
  * shard keeps what says how to read the state, so that it is committed with it.
  */
final class WindowProcessor(val program: ShardProgram)
    extends StatefulProcessorWithInitialState[Int, PlacedPacket.Type, Array[Byte], Int] {

  @transient private var store: SparkShardStore   = _
  @transient private var mode: TimeMode           = _
  @transient private var notes: Option[Notes]     = None
  @transient private lazy val runner: ShardRunner = program.runner()

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    store = new SparkShardStore(getHandle, program.spaces)
    mode = timeMode
    notes = program.descriptor.map(new Notes(getHandle, _))
  }

  override def handleInitialState(shard: Int, initialState: Int, timers: TimerValues): Unit = {
    note(shard)
    wake(timers)
  }

  private def note(shard: Int): Unit = if (shard == 0) notes.foreach(_.keep())

  private def wake(timers: TimerValues): Unit =
    if (mode == TimeMode.ProcessingTime) getHandle.registerTimer(timers.getCurrentProcessingTimeInMs() + 1)
    else if (mode == TimeMode.EventTime) getHandle.registerTimer(timers.getCurrentWatermarkInMs() + 1)

  override def handleInputRows(
      shard: Int,
      placed: Iterator[PlacedPacket.Type],
      timers: TimerValues): Iterator[Array[Byte]] = step(shard, PlacedPacket.inOrder(placed, shard), timers)

  override def handleExpiredTimer(shard: Int, timers: TimerValues, expired: ExpiredTimerInfo): Iterator[Array[Byte]] = {
    wake(timers)
    step(shard, Iterator.empty, timers)
  }

  private def watermark(timers: TimerValues): Watermark =
    program.watermark(timers.getCurrentWatermarkInMs(), timers.getCurrentProcessingTimeInMs())

  private def step(shard: Int, packets: Iterator[Array[Byte]], timers: TimerValues): Iterator[Array[Byte]] = {
    note(shard)
    var isOver = false
    val messages = packets.filter { packet =>
      val isEnd = PacketFlag.isEnd(packet)
      isOver ||= isEnd
      !isEnd
    }
    runner.step(
      store,
      messages,
      if (isOver) Watermark.End else watermark(timers),
      timers.getCurrentProcessingTimeInMs() * 1000)
  }
}

/** What says how to read the state, in the state: written when it changes. */
private final class Notes(handle: StatefulProcessorHandle, descriptor: OperatorDescriptor) {
  private val kept    = handle.getValueState(OperatorDescriptor.Variable, Encoders.BINARY, TTLConfig.NONE)
  private val bytes   = descriptor.bytes
  private var isThere = false

  def keep(): Unit = if (!isThere) {
    if (!java.util.Arrays.equals(kept.get(), bytes)) kept.update(bytes)
    isThere = true
  }
}
