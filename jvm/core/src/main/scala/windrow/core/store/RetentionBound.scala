package windrow.core.store

import windrow.Retention
import windrow.core.time.EventTime
import windrow.core.time.Position
import windrow.core.time.Watermark

/** What leaves a run: from the oldest on, as long as `leaves` says so (SEMANTICS R10). Times in microseconds.
  *
  * @param time
  *   messages below it leave; a message at it stays
  * @param newest
  *   how many stay
  * @param protectedFrom
  *   messages from here on may be in a window that still takes messages, and stay
  */
private[core] final case class RetentionBound(time: Long, newest: Long, protectedFrom: Long) {

  /** @param left
    *   messages from this one on
    */
  def leaves(message: Long, left: Long): Boolean = message < protectedFrom && (message < time || left > newest)
}

private[core] object RetentionBound {

  def apply(retention: Retention, now: Watermark, protectedFrom: Long): RetentionBound = RetentionBound(
    retention.time.filter(_ => now.isDefined).fold(EventTime.Min)(span => below(now, span.micros)),
    retention.messages.getOrElse(Long.MaxValue),
    protectedFrom)

  /** A message is older than what a stated time of retention keeps. */
  def isOut(retention: Retention, now: Watermark, time: Long): Boolean =
    now.isDefined && retention.time.exists(span => time < below(now, span.micros))

  /** At the end of a bounded input nothing is young any more. */
  private def below(now: Watermark, span: Long): Long =
    if (now.isEnd) EventTime.Max
    else Position.minus(now.micros, span)
}
