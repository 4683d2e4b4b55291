package windrow.core.join

import windrow.JoinSpec
import windrow.core.store.RetentionBound
import windrow.core.time.{Due, EventTime, Watermark}

/** Decides when messages of a join are removed: when they are not needed anymore, or by the configured retention
  * (SEMANTICS R10).
  */
private[join] final class JoinRetention(spec: JoinSpec) {
  private val isStated = spec.retention.time.isDefined || spec.retention.messages.isDefined

  /** The condition for removal, given the time of a message and the number of messages from this one on. */
  def leaves(stream: Int, rule: PairRule, watermark: Watermark): (Long, Long) => Boolean =
    if (!isStated) (time, _) => watermark.reached(rule.neededUntil(time, stream))
    else {
      val bound = RetentionBound(spec.retention, watermark, EventTime.Max)
      (time, left) =>
        bound.leaves(time, left) && watermark.isDue(rule.protectedUntil(time, stream))
    }

  /** The watermark at which the oldest of `size` messages may be removed. */
  def leavesFrom(time: Long, stream: Int, size: Long, rule: PairRule): Long =
    if (!isStated) rule.neededUntil(time, stream)
    else math.min(spec.retention.isOutFrom(time), if (isMany(size)) rule.protectedUntil(time, stream) else Due.Never)

  /** The watermark at which a message is removed if no more messages arrive.
    *
    * @param left
    *   number of messages from this one on
    */
  def gone(time: Long, stream: Int, left: Long, rule: PairRule): Long =
    if (!isStated) rule.neededUntil(time, stream)
    else math.max(if (isMany(left)) Due.AtOnce else spec.retention.isOutFrom(time), rule.protectedUntil(time, stream))

  private def isMany(messages: Long): Boolean = spec.retention.messages.exists(messages > _)
}
