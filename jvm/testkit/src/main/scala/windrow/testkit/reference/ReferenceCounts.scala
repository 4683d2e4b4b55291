package windrow.testkit

/** What became of the messages. Classes (SEMANTICS R5) are seen from the key's existing window with the greatest start;
  * without one a message is in time.
  */
private[testkit] final case class ReferenceCounts(
    accepted: Long = 0,
    rejected: Long = 0,
    replays: Long = 0,
    gaps: Long = 0,
    inTime: Long = 0,
    past: Long = 0,
    future: Long = 0) {

  def accepting(position: Long, current: Option[Bounds], isHalfOpen: Boolean): ReferenceCounts = {
    val counted = copy(accepted = accepted + 1)
    if (current.exists(position < _.start)) counted.copy(past = past + 1)
    else if (current.exists(window => position > window.end || (isHalfOpen && position == window.end)))
      counted.copy(future = future + 1)
    else counted.copy(inTime = inTime + 1)
  }

  def named: Map[String, Long] = Map(
    "accepted" -> accepted,
    "rejected" -> rejected,
    "replays"  -> replays,
    "gaps"     -> gaps,
    "filtered" -> 0L,
    "in_time"  -> inTime,
    "past"     -> past,
    "future"   -> future)
}
