package windrow.operators

import windrow.SourcePartition
import windrow.core.operator.{Counters, OperatorShard}
import windrow.core.time.Watermark

/** The messages of one step.
  *
  * @param admitted
  *   messages to process, each with its stream
  * @param withheld
  *   messages withheld by `beforeProcess`; only their offsets are applied
  */
private[operators] final case class Arrivals[M](admitted: Seq[(String, M)], withheld: Seq[(String, M)])

/** The results of one step.
  *
  * @param filtered
  *   number of withheld messages that are not duplicates
  */
private[operators] final case class Outcome[M, R](outputs: Seq[R], rejected: Seq[Rejected[M]], filtered: Int)

/** Runs an operator's steps on a shard of the core and translates between user messages and the shard's bytes. */
private[operators] trait Core[M, R] {
  def shard: OperatorShard

  def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, R]

  final def counters: Counters = shard.counters

  /** The watermark at the end of the last step. */
  final def watermark: Watermark = shard.watermark

  def retired: Long       = 0
  def overRetention: Long = 0
  def restartOffsets: Map[SourcePartition, Long]
}
