package windrow.spark.shards

import windrow.core.state.InMemoryShardStore
import windrow.core.time.Watermark

/** All messages of a batch query are one step, after which every window is complete.
  *
  * @param processingTime
  *   of that step, in microseconds
  */
final class BatchShards(program: ShardProgram, processingTime: Long)
    extends ((Int, Iterator[Array[Byte]]) => IterableOnce[Array[Byte]])
    with Serializable {

  @transient private lazy val runner = program.runner()

  def apply(shard: Int, packets: Iterator[Array[Byte]]): Iterator[Array[Byte]] =
    runner.step(new InMemoryShardStore, packets, Watermark.End, processingTime)
}
