package windrow.operators

import windrow.SourcePartition
import windrow.core.operator.Counters
import windrow.core.time.Watermark

/** @param admitted
  *   each with its stream
  * @param withheld
  *   by `beforeProcess`: they go no further, but their offsets are applied
  */
private[operators] final case class Arrivals[M](admitted: Seq[(String, M)], withheld: Seq[(String, M)])

/** @param filtered
  *   how many of those withheld are no duplicates
  */
private[operators] final case class Outcome[M, R](outputs: Seq[R], rejected: Seq[Rejected[M]], filtered: Int)

/** What an operator is inside: a shard of the core, and the user's messages beside it. */
private[operators] trait Core[M, R] {
  def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, R]

  def counters: Counters

  /** At the end of the last step. */
  def watermark: Watermark
  def retired: Long       = 0
  def overRetention: Long = 0
  def restartOffsets: Map[SourcePartition, Long]
}
