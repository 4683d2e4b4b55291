package windrow.spark.shards

import org.apache.spark.sql.windrow.SparkWatermark
import scala.annotation.unused
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.{Guards, TimeSpan}

/** The program that each shard of a query runs. Its input is packets, and its output is rows. [[WindowProcessor]] calls
  * it in a stream, [[BatchShards]] in a batch query.
  */
trait ShardProgram extends Serializable {

  /** The number of shards into which keys are hashed. Fixed for the lifetime of a checkpoint. */
  def shards: Int

  /** The spaces of a shard's store. */
  def spaces: Seq[String]

  /** Whether the program depends on processing time, so that Spark must run micro-batches without data (SEMANTICS R69).
    */
  def hasPeriods: Boolean

  /** The properties that a checkpoint records and that may not change (SEMANTICS S2). */
  def fingerprint: SpecFingerprint

  /** Whether the order of packets without an order affects the last digit of a pane that may be withdrawn (SEMANTICS
    * R90).
    */
  def ordersPackets: Boolean = false

  /** The delay of a watermark that is the processing time minus this; None if Spark's watermark applies. */
  def processingTimeDelay: Option[TimeSpan] = None

  /** Returns the watermark of a micro-batch: Spark's, or the processing time minus the delay. Both arguments are in
    * milliseconds.
    *
    * @param lag
    *   how far the input rows may be below Spark's watermark
    */
  final def watermark(millis: Long, processingTime: Long, lag: Distance[Axis.Time]): Watermark =
    processingTimeDelay.fold(SparkWatermark(millis).behind(lag))(delay =>
      Watermark(processingTime * 1000 - delay.micros))

  /** Returns how far times in a column of the output rows may be below the watermark of this program; endless if they
    * are unbounded (SEMANTICS R95).
    *
    * @param kind
    *   the number of the kind of rows in packets
    * @param column
    *   the position among the columns of the kind
    */
  def outputLag(@unused kind: Int, @unused column: Int): Distance[Axis.Time] = Distance.none

  /** Describes the state for readers of a checkpoint; None if the state cannot be read. */
  def descriptor: Option[OperatorDescriptor] = None

  /** Creates the runner. Called once in each task. */
  def runner(): ShardRunner
}

/** Runs the steps of shards on packets. */
trait ShardRunner {

  /** The limits of the run in which the runner was created. */
  protected final val guards: Guards = GuardSettings.running

  /** Runs one step of one shard. The rows are created while the iterator is consumed.
    *
    * @param watermark
    *   the watermark at the end of the step, known once all packets have been read
    * @param processingTime
    *   in microseconds
    * @param first
    *   the watermark before the first step
    */
  def step(
      store: ShardStore,
      packets: Iterator[Array[Byte]],
      watermark: => Watermark,
      processingTime: Long,
      first: Watermark = Watermark.None): Iterator[Array[Byte]]
}
