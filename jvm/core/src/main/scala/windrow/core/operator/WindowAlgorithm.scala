package windrow.core.operator

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** What a kind of windows does with the messages and the watermarks of a shard. */
private[operator] trait WindowAlgorithm[B, V] {

  /** Applies a message, judged by the watermark before the step. */
  def add(entry: Entry[B], clock: StepClock, counters: Counters): Iterator[Effect[B, V]]

  /** Ends the step: what was left to its end, what the move of the watermark completes, what leaves. */
  def advance(clock: StepClock, now: Watermark): Iterator[Effect[B, V]]

  /** The processing time at which a window would fire though nothing came, in microseconds. */
  def processingDeadline: Option[Long]

  /** Writes what has changed. */
  def flush(): Unit
  def readDirectory(in: ByteReader): Unit
  def writeDirectory(out: ByteWriter): Unit
}
