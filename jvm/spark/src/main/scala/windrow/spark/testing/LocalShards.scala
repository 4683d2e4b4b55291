package windrow.spark.testing

import org.apache.spark.sql.streaming.TimeMode
import windrow.core.state.InMemoryShardStore
import windrow.spark.packet.{PacketMerge, PlacedPacket}
import windrow.spark.shards.{ShardProgram, WindowProcessor}

/** The shards of an operator in memory. They are called as Spark's `transformWithState` calls them: those with rows,
  * and all shards if the clock of the time mode has advanced.
  */
private[testing] final class LocalShards(processor: WindowProcessor, mode: TimeMode) {
  val program: ShardProgram                = processor.program
  val stores: Map[Int, InMemoryShardStore] = (0 until program.shards).map(_ -> new InMemoryShardStore).toMap

  private var runner   = program.runner()
  private var calledAt = Long.MinValue

  /** Forgets everything that is not in the stores. */
  def restart(): Unit = runner = program.runner()

  /** Runs one step.
    *
    * @param packets
    *   by shard, those of each shard in their order
    */
  def step(packets: Seq[(Int, PlacedPacket.Type)], turn: Turn): Iterator[Array[Byte]] = {
    val byShard = packets.groupMap(_._1)(_._2)
    val clock   = if (mode == TimeMode.ProcessingTime) turn.now else turn.watermark
    val moved   = mode != TimeMode.None && clock > calledAt
    calledAt = math.max(calledAt, clock)
    val called = if (moved) stores.keys.toSeq.sorted else byShard.keys.toSeq.sorted
    val mark   = program.watermark(turn.watermark, turn.now, processor.lag)
    called.iterator.flatMap { shard =>
      val inOrder = PacketMerge.inOrder(byShard.getOrElse(shard, Nil).iterator, shard)
      runner.step(stores(shard), inOrder, mark, turn.now * 1000)
    }
  }
}
