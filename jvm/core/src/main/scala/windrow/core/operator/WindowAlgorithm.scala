package windrow.core.operator

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Progress
import windrow.core.time.StepClock
import windrow.core.time.Watermark

/** What a kind of windows does with the messages and the watermarks of a shard. */
private[core] trait WindowAlgorithm[B, V] {

  /** A step begins that brings these offsets to the whole stream. */
  def begin(progress: Seq[Progress]): Unit = ()

  /** A message has come that is no replay, whatever becomes of it. */
  def see(origin: Origin): Unit = ()

  /** The message has a place on the axis of the windows; else it is refused like one without a time. */
  def hasPlace(entry: Entry[B]): Boolean = true

  /** Applies a message, judged by the watermark before the step. */
  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit

  /** The end of the step: what was left to it, what the move of the watermark completes, what leaves. */
  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]]

  /** The processing time at which a window would fire though nothing came, in microseconds. */
  def processingDeadline: Option[Long]

  /** How many keys it keeps; of windows that are kept by slice only those that are remembered for their gaps. */
  def keyCount: Long

  /** The windows of all keys that still take messages, each once. */
  def openWindows(at: Watermark): Iterator[OpenWindow[B]]

  /** How many of these have messages, as it is written; None: that is not known without looking at them.
    *
    * @param before
    *   as this object was made, if it was known then
    */
  def openCount(before: Option[Long]): Option[Long] = None

  /** Writes what has changed. */
  def flush(): Unit
  def readDirectory(in: ByteReader): Unit
  def writeDirectory(out: ByteWriter): Unit
}
