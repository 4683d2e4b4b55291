package windrow.spark.shards

import windrow.core.state.InMemoryShardStore
import windrow.core.time.Watermark
import windrow.spark.packet.{PacketMerge, PlacedPacket}

/** Processes all rows of a batch query in one step, which completes every window.
  *
  * @param processingTime
  *   the processing time of the step, in microseconds
  */
final class BatchShards(program: ShardProgram, processingTime: Long)
    extends ((Int, Iterator[PlacedPacket.Type]) => IterableOnce[Array[Byte]])
    with Serializable {

  @transient private lazy val runner = program.runner()

  def apply(shard: Int, placed: Iterator[PlacedPacket.Type]): Iterator[Array[Byte]] =
    runner.step(new InMemoryShardStore, PacketMerge.inOrder(placed, shard), Watermark.End, processingTime)
}
