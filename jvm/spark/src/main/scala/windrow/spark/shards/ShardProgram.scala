package windrow.spark.shards

import org.apache.spark.sql.windrow.SparkWatermark
import scala.annotation.unused
import windrow.Guards
import windrow.TimeSpan
import windrow.core.state.ShardStore
import windrow.core.state.SpecFingerprint
import windrow.core.time.Axis
import windrow.core.time.Distance
import windrow.core.time.Watermark

/** What each shard of a query runs, packets in, output rows out: [[WindowProcessor]] calls it in a stream,
  * [[BatchShards]] in a batch.
  */
trait ShardProgram extends Serializable {

  /** Into how many shards keys are hashed; fixed for the life of a checkpoint. */
  def shards: Int

  /** The spaces of a shard's store. */
  def spaces: Seq[String]

  /** It goes by processing time, too, so Spark has to begin batches without data (SEMANTICS R69). */
  def hasPeriods: Boolean

  /** What a checkpoint was begun with and must go on with (SEMANTICS S2). */
  def fingerprint: SpecFingerprint

  /** The order of packets that have none shows in the last digit of a pane that may be withdrawn (SEMANTICS R90). */
  def ordersPackets: Boolean = false

  /** The watermark is the processing time less this, and none of Spark's. */
  def behind: Option[TimeSpan] = None

  /** By Spark's watermark, or where it has none of its own by processing time; both in milliseconds.
    *
    * @param lag
    *   how far the rows that come may lie behind Spark's
    */
  final def watermark(millis: Long, processingTime: Long, lag: Distance[Axis.Time]): Watermark =
    behind.fold(SparkWatermark(millis).behind(lag))(delay => Watermark(processingTime * 1000 - delay.micros))

  /** How far times in a column of its rows may lie behind the watermark that it goes by; endless if nothing bounds that
    * (SEMANTICS R95).
    *
    * @param kind
    *   of the rows, as packets number them
    * @param column
    *   among those of the kind
    */
  def lag(@unused kind: Int, @unused column: Int): Distance[Axis.Time] = Distance.none

  /** What whoever looks into a checkpoint must know to read its state; None: nobody can. */
  def descriptor: Option[OperatorDescriptor] = None

  /** Made once in each task. */
  def runner(): ShardRunner
}

/** Runs the steps of shards on packets. */
trait ShardRunner {

  /** Those of the run that it was made in. */
  protected final val guards: Guards = GuardSettings.running

  /** One step of one shard; the rows are made as they are taken.
    *
    * @param watermark
    *   at the end of the step; known once all packets are taken
    * @param processingTime
    *   in microseconds
    */
  def step(
      store: ShardStore,
      packets: Iterator[Array[Byte]],
      watermark: => Watermark,
      processingTime: Long): Iterator[Array[Byte]]
}
