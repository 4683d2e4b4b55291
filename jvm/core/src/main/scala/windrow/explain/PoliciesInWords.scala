package windrow.explain

import windrow._

/** Describes the contents of a window with policies, and when it fires. */
private[explain] object PoliciesInWords {

  def apply(eviction: Eviction): String = eviction match {
    case Eviction.Tumbling(by) => told(tumbling(by), "as they leave")
    case Eviction.ByPunctuation(column) =>
      told(s"all messages leave with a marker, a message with true in $column", "as they leave")
    case Eviction.Sliding(by, trigger) => told(sliding(by), fires(trigger))
  }

  private def told(leaves: String, when: String): String = s"For each key, $leaves. It fires $when."

  private def tumbling(by: By): String = by match {
    case ByCount(n)     => s"all messages leave once there are $n"
    case ByTime(period) => s"all messages leave every $period of processing time, also when there are none"
    case ByDelta(column, delta) =>
      s"all messages leave before one whose $column is more than $delta above the oldest one's"
  }

  private def sliding(by: By): String = by match {
    case ByCount(n)             => s"the newest $n messages"
    case ByTime(period)         => s"the messages that came at most $period of processing time ago"
    case ByDelta(column, delta) => s"the messages whose $column is at most $delta below the newest one's"
  }

  private def fires(trigger: By): String = trigger match {
    case ByCount(n)             => s"after every $n messages"
    case ByTime(period)         => s"every $period of processing time, also without messages"
    case ByDelta(column, delta) => s"before a message whose $column is more than $delta above that of the last time"
  }
}
