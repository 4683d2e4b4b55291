package windrow.explain

import windrow._

/** Describes the contents of a window with policies, and when it fires. */
private[explain] object PolicyText {

  def apply(eviction: Eviction): String = eviction match {
    case Eviction.Tumbling(by) => sentence(tumbling(by), "when they leave")
    case Eviction.ByPunctuation(column) =>
      sentence(s"all rows leave with a marker, which is a row with true in $column", "when they leave")
    case Eviction.Sliding(by, trigger) => sentence(sliding(by), fires(trigger))
  }

  private def sentence(leaves: String, when: String): String = s"For each key, $leaves. It fires $when."

  private def tumbling(by: By): String = by match {
    case ByCount(n)     => s"all rows leave once there are $n"
    case ByTime(period) => s"all rows leave every $period of processing time, even if there are none"
    case ByDelta(column, delta) =>
      s"all rows leave before a row whose $column is more than $delta above that of the oldest row"
  }

  private def sliding(by: By): String = by match {
    case ByCount(n)     => s"the window contains the newest $n rows"
    case ByTime(period) => s"the window contains the rows that arrived at most $period of processing time ago"
    case ByDelta(column, delta) =>
      s"the window contains the rows whose $column is at most $delta below that of the newest row"
  }

  private def fires(trigger: By): String = trigger match {
    case ByCount(n)     => s"after every $n rows"
    case ByTime(period) => s"every $period of processing time, even without rows"
    case ByDelta(column, delta) =>
      s"before a row whose $column is more than $delta above its value when the window last fired"
  }
}
