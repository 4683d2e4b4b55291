package windrow.operators

import windrow.core.store.OffsetSpan
import windrow.{SourcePartition, Timing}

/** Metadata of a window (SEMANTICS R22).
  *
  * @param start
  *   inclusive: microseconds, or a position
  * @param end
  *   as in panes: exclusive for half-open windows, otherwise the last instant or position
  * @param offsets
  *   smallest and greatest offset of all messages that it ever accepted, by source partition
  * @param count
  *   number of these messages
  * @param panes
  *   number of panes that it has fired
  * @param partition
  *   source partition, for windows on offsets
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

/** A window of an aggregating operator with its current value. */
final case class WindowValue[K, V](window: WindowInfo[K], value: V)
