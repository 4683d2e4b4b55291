package windrow.core.store

import windrow.Retention
import windrow.core.time.{EventTime, Position, Watermark}

/** Decides which messages retention removes from a run: starting at the oldest, as long as `leaves` holds
  * (SEMANTICS R10). Times are in microseconds.
  *
  * @param time
  *   messages below it are removed; a message at it stays
  * @param newest
  *   number of newest messages that stay
  * @param protectedFrom
  *   messages from this time on stay, because they may be in a window that still accepts messages
  */
private[core] final case class RetentionBound(time: Long, newest: Long, protectedFrom: Long) {

  /** @param left
    *   number of messages from this one on
    */
  def leaves(message: Long, left: Long): Boolean = message < protectedFrom && (message < time || left > newest)
}

private[core] object RetentionBound {

  def apply(retention: Retention, now: Watermark, protectedFrom: Long): RetentionBound = RetentionBound(
    retention.time.filter(_ => now.isDefined).fold(EventTime.Min)(span => below(now, span.micros)),
    retention.messages.getOrElse(Long.MaxValue),
    protectedFrom)

  /** Whether a message is older than the time for which retention keeps messages. */
  def isOut(retention: Retention, now: Watermark, time: Long): Boolean =
    now.isDefined && retention.time.exists(span => time < below(now, span.micros))

  /** At the end of a bounded input no message is recent enough to stay. */
  private def below(now: Watermark, span: Long): Long =
    if (now.isEnd) EventTime.Max
    else Position.minus(now.micros, span)
}
