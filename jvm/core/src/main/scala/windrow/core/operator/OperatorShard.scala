package windrow.core.operator

import windrow.SourcePartition
import windrow.core.time.Watermark

/** What the shards of all operators are to those who drive them. */
trait OperatorShard {

  /** Of the last step. */
  def watermark: Watermark

  /** The processing time, in microseconds, at which a step without messages may fire something. */
  def processingDeadline: Option[Long]

  /** What became of its messages since this object was made. */
  def counters: Counters

  /** For each source partition the offset after the greatest that was applied. */
  def nextOffsets: Map[SourcePartition, Long]

  /** A step without messages would change nothing but how its state is written. */
  def rests(watermark: Watermark, processingTime: Long): Boolean =
    this.watermark.max(watermark) == this.watermark && processingDeadline.forall(_ > processingTime)
}
