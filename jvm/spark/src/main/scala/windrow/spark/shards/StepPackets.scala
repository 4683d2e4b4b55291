package windrow.spark.shards

import windrow.core.offsets.Progress
import windrow.core.operator.OperatorShard
import windrow.core.state.ShardStore
import windrow.core.time.Watermark
import windrow.spark.packet.ProgressCodec

/** The packets of a step. Packets of progress have no place among the rows, so they come before the packets of rows
  * ([[windrow.spark.packet.PacketMerge]]).
  */
private[spark] final class StepPackets(packets: Iterator[Array[Byte]]) {
  private val found = Vector.newBuilder[Progress]

  /** The packets that do not contain progress. */
  val others: Iterator[Array[Byte]] = packets.filter { packet =>
    val isProgress = ProgressCodec.isProgress(packet)
    if (isProgress) found ++= ProgressCodec.read(packet)
    !isProgress
  }

  others.hasNext // reads the packets of progress before the first other packet

  /** The progress of the packets that have been read. */
  def progress: Vector[Progress] = found.result()
}

/** Runs the steps of the shards of an operator. A shard that rests is not run.
  *
  * @tparam S
  *   the shards of the operator
  */
private[spark] abstract class OperatorRunner[S <: OperatorShard] extends ShardRunner {

  /** Opens the shard in a store. */
  protected def open(store: ShardStore): S

  protected def run(
      shard: S,
      packets: StepPackets,
      watermark: => Watermark,
      processingTime: Long): Iterator[Array[Byte]]

  final def step(
      store: ShardStore,
      packets: Iterator[Array[Byte]],
      watermark: => Watermark,
      processingTime: Long,
      first: Watermark): Iterator[Array[Byte]] = {
    val shard = open(store)
    shard.startAt(first)
    if (packets.isEmpty && shard.rests(watermark, processingTime)) Iterator.empty
    else run(shard, new StepPackets(packets), watermark, processingTime)
  }
}
