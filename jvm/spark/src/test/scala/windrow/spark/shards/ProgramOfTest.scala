package windrow.spark.shards

import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.time.Watermark

/** A program that only works on the store of each shard, and emits no rows. */
abstract class ProgramOfTest extends ShardProgram {
  def shards: Int                  = 1
  def spaces: Seq[String]          = Nil
  def hasPeriods: Boolean          = false
  def fingerprint: SpecFingerprint = SpecFingerprint.Nothing

  /** Runs a step of a shard.
    *
    * @param packets
    *   the number of packets of the step
    */
  protected def run(store: ShardStore, packets: Int, processingTime: Long): Unit

  def runner(): ShardRunner = new ShardRunner {
    def step(
        store: ShardStore,
        packets: Iterator[Array[Byte]],
        watermark: => Watermark,
        processingTime: Long,
        first: Watermark): Iterator[Array[Byte]] = {
      run(store, packets.size, processingTime)
      Iterator.empty
    }
  }
}
