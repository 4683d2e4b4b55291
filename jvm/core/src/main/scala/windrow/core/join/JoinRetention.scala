package windrow.core.join

import windrow.JoinSpec
import windrow.core.store.RetentionBound
import windrow.core.time.Due
import windrow.core.time.EventTime
import windrow.core.time.Watermark

/** When messages of a join leave: as they are not needed any more, or by the retention that is stated (SEMANTICS R10). */
private[join] final class JoinRetention(spec: JoinSpec) {
  private val isStated = spec.retention.time.isDefined || spec.retention.messages.isDefined

  /** Of the time of a message, and of the number of messages from this one on. */
  def leaves(stream: Int, rule: PairRule, watermark: Watermark): (Long, Long) => Boolean =
    if (!isStated) (time, _) => watermark.reached(rule.neededUntil(time, stream))
    else {
      val bound = RetentionBound(spec.retention, watermark, EventTime.Max)
      (time, left) =>
        bound.leaves(time, left) && watermark.isDue(rule.protectedUntil(time, stream))
    }

  /** The watermark at which the oldest message of so many may leave. */
  def leavesFrom(time: Long, stream: Int, size: Long, rule: PairRule): Long =
    if (!isStated) rule.neededUntil(time, stream)
    else math.min(spec.retention.isOutFrom(time), if (isMany(size)) rule.protectedUntil(time, stream) else Due.Never)

  /** The watermark at which a message leaves if no more come.
    *
    * @param left
    *   messages from this one on
    */
  def gone(time: Long, stream: Int, left: Long, rule: PairRule): Long =
    if (!isStated) rule.neededUntil(time, stream)
    else math.max(if (isMany(left)) Due.AtOnce else spec.retention.isOutFrom(time), rule.protectedUntil(time, stream))

  private def isMany(messages: Long): Boolean = spec.retention.messages.exists(messages > _)
}
