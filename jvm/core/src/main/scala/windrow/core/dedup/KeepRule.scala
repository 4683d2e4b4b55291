package windrow.core.dedup

import windrow.core.operator.{Out, Part}
import windrow.core.state.{Key, StatePart}
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** Decides which rows of a key are kept, about the messages that are in time. */
private[dedup] trait KeepRule {

  /** Its parts of the state. */
  def parts: Seq[StatePart]

  /** Adds a message, in the order of the step.
    *
    * @param watermark
    *   the watermark before the step
    */
  def add(message: Incoming, time: Long, watermark: Watermark, out: Out[DedupEffect]): Unit

  /** Called after the last message of the step. */
  def end(out: Out[DedupEffect]): Unit

  /** Removes rows that no accepted row can affect any longer, and emits those that have waited for it.
    *
    * @param watermark
    *   the watermark at the end of the step
    */
  def leave(watermark: Watermark): Iterator[Part[DedupEffect]]

  /** The stored event times of each key; a key can be listed more than once. */
  def storedTimes: Iterator[(Key, Array[Long])]

  /** The stored rows. */
  def storedRows: Iterator[(Key, LastRow)]

  /** The number of stored keys, or a greater number. */
  def size: Long
}
