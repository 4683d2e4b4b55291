package windrow.core.operator

import windrow.SourcePartition
import windrow.core.time.Watermark

/** The interface that the shards of all operators offer to the engine that runs them. */
trait OperatorShard {

  /** The watermark after the last step. */
  def watermark: Watermark

  /** Raises the watermark before the first step. */
  def startAt(first: Watermark): Unit

  /** The processing time, in microseconds, at which a step without messages may fire something. */
  def processingDeadline: Option[Long]

  /** Counts of messages since this object was created. */
  def counters: Counters

  /** For each source partition, the offset after the greatest applied one. */
  def nextOffsets: Map[SourcePartition, Long]

  /** Whether a step without messages would change nothing except how the state is written. */
  def rests(watermark: Watermark, processingTime: Long): Boolean =
    this.watermark.max(watermark) == this.watermark && processingDeadline.forall(_ > processingTime)
}
