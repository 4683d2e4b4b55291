package windrow.core.operator

import windrow.core.offsets.Progress
import windrow.core.state.StatePart
import windrow.core.time.{StepClock, Watermark}

/** Processes the messages and watermarks of a shard for one family of windows. */
private[core] trait WindowAlgorithm[B, V] extends StatePart {

  /** Starts a step that brings these offsets to all shards of the stream. */
  def begin(progress: Seq[Progress]): Unit = ()

  /** Observes a message that is not a duplicate, before it is accepted or rejected. */
  def see(origin: Origin): Unit = ()

  /** Whether the message has a position on the axis of the windows; otherwise it is rejected like one without a time.
    */
  def hasPlace(entry: Entry[B]): Boolean = true

  /** Applies a message, judged by the watermark before the step. */
  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit

  /** Ends the step: deferred work, windows that the watermark completes, and removals. */
  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]]

  /** The processing time, in microseconds, at which a window would fire without new messages. */
  def processingDeadline: Option[Long]

  /** The number of stored keys. Windows stored by slice only count the keys that are stored for their gaps. */
  def keyCount: Long

  /** The windows of all keys that still accept messages, each once. */
  def openWindows(at: Watermark): Iterator[OpenWindow[B]]

  /** The number of open windows with messages, as written; None if only reading them would reveal it.
    *
    * @param before
    *   the number when this object was created, if it was known
    */
  def openCount(before: Option[Long]): Option[Long] = None
}
