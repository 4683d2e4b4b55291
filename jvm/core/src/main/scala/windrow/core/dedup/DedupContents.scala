package windrow.core.dedup

import windrow.core.state.{Key, KeyMap, ShardStore}
import windrow.core.store.StoredMessage
import windrow.core.time.{Position, Watermark}
import windrow.{DedupSpec, Keep}

/** The stored event times and rows of a key.
  *
  * @param times
  *   ascending
  * @param rows
  *   in the order of [[StoredMessage.Order]]
  * @param until
  *   the least watermark at which nothing of the key counts as stored
  */
final case class DedupKey(key: Key, times: Seq[Long], rows: Seq[StoredMessage], until: Long)

/** Reads the state of a deduplication (SEMANTICS R165). Times and rows that no accepted row can concern any longer do
  * not count as stored, even if their slice still exists.
  *
  * @param untilWatermark
  *   see [[ReplacedDedup]]
  */
final class DedupContents(spec: DedupSpec, store: ShardStore, untilWatermark: Option[Boolean] = None) {
  private val shard = new DedupShard(spec, store, replaced = untilWatermark.map(ReplacedDedup(Position.Least, _)))

  /** How far the watermark passes a time until no accepted row can concern it. */
  private val span = if (untilWatermark.contains(true)) spec.within.micros else spec.span.micros

  /** The watermark after the last step. */
  def watermark: Watermark = shard.watermark

  /** The stored keys, or the one of them. */
  def keys(only: Option[Key]): Iterator[DedupKey] = {
    val found                = new KeyMap[(Vector[Long], Vector[StoredMessage])]
    def wanted(key: Key)     = only.forall(_ == key)
    def at(key: Key)         = Option(found.get(key)).getOrElse((Vector.empty, Vector.empty))
    def isStored(time: Long) = watermark.at < leaves(time)
    shard.rule.storedTimes.filter(one => wanted(one._1)).foreach { case (key, times) =>
      val (before, rows) = at(key)
      val live           = times.filter(isStored)
      if (live.nonEmpty) found.put(key, (before ++ live, rows))
    }
    rows.filter(one => wanted(one.key)).foreach { row =>
      val (times, before) = at(row.key)
      found.put(row.key, (times, before :+ row))
    }
    found.keysInOrder.zip(found.valuesInOrder).map { case (key, (times, rows)) =>
      val sorted = times.sorted
      DedupKey(key, sorted, rows.sorted(StoredMessage.Order), leaves(sorted.last))
    }
  }

  /** The stored rows; `isSettled` marks those that are duplicates of later rows. */
  def rows: Iterator[StoredMessage] = shard.rule.storedRows.collect {
    case (key, row) if watermark.at < leaves(row.time) =>
      StoredMessage(key, row.time, row.origin, row.payload, isSettled = !row.isOpen)
  }

  /** The rows that wait until no accepted row can follow them, each with the least watermark that emits it. */
  def waiting: Iterator[(StoredMessage, Long)] =
    if (spec.keep == Keep.First || spec.retracts) Iterator.empty
    else rows.filterNot(_.isSettled).map(row => row -> leaves(row.time))

  private def leaves(time: Long): Long = Position.plus(Position.plus(time, span), 1)
}
