package windrow.operators

import windrow.SourcePartition
import windrow.Timing
import windrow.core.store.OffsetSpan

/** What a window's metadata tells (SEMANTICS R22).
  *
  * @param start
  *   inclusive: microseconds, or a position
  * @param end
  *   as panes show it: exclusive of half-open windows, else the last instant or position
  * @param offsets
  *   smallest and greatest by source partition, of all messages that it ever accepted
  * @param count
  *   of these messages
  * @param panes
  *   that it has fired
  * @param partition
  *   of windows on offsets
  */
final case class WindowInfo[K](
    key: K,
    start: Long,
    end: Long,
    offsets: Map[SourcePartition, OffsetSpan],
    count: Long,
    lastTiming: Option[Timing],
    panes: Long,
    isComplete: Boolean = false,
    partition: Option[SourcePartition] = None)

/** A window of an aggregator and what its messages amount to so far. */
final case class WindowValue[K, V](window: WindowInfo[K], value: V)
