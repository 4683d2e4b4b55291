package windrow.core.dedup

import windrow.core.state.{Key, StatePart}
import windrow.core.time.{Axis, Distance, Watermark}

/** The rows that a shard has kept, as far as other rows can be their duplicates. */
private[dedup] trait KeptRows extends StatePart {

  /** Adds a row, unless it is a duplicate of a kept one; returns whether it did.
    *
    * @param watermark
    *   the watermark before the step
    */
  def keep(key: Key, time: Long, watermark: Watermark): Boolean

  /** Removes rows of which no accepted row can be a duplicate.
    *
    * @param watermark
    *   the watermark at the end of the step
    */
  def leave(watermark: Watermark, lateness: Distance[Axis.Time]): Unit

  /** The stored event times of each key; a key can be listed more than once. */
  def all: Iterator[(Key, Array[Long])]

  /** The number of stored keys, or a greater number. */
  def size: Long
}

/** The rules of a deduplication that replaces one of another engine (SEMANTICS R97).
  *
  * @param timeless
  *   the time that counts for a row without an event time. Such a row is never late.
  * @param untilWatermark
  *   whether a row is a duplicate of each kept row of its key until the watermark passes the kept row's time plus
  *   `within`. Otherwise, the distance of their times decides.
  */
final case class ReplacedDedup(timeless: Long, untilWatermark: Boolean)
