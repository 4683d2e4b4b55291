package windrow.spark.query

import windrow.core.dedup.DedupContents
import windrow.core.pattern.{MatchContents, StoredMatch}
import windrow.core.state.{Key, ShardStore}
import windrow.core.store.StoredMessage
import windrow.core.time.Axis
import windrow.{DedupSpec, MatchSpec}

/** The state of a key.
  *
  * @param times
  *   the stored event times; for a pattern those of its rows
  * @param rows
  *   the stored rows
  * @param matches
  *   the emitted matches that can still be retracted
  * @param watermark
  *   the least watermark at which the state of the key changes without more rows, or for a deduplication is removed
  */
private[query] final case class KeptKey(
    key: Key,
    times: Seq[Long],
    rows: Seq[StoredMessage],
    matches: Seq[StoredMatch],
    watermark: Long)

/** A row that will be emitted, or a key that will change, when the watermark reaches a position. */
private[query] final case class KeptDeadline(key: Key, row: Option[StoredMessage], watermark: Long)

/** A shard that stores rows or times by key. */
private[query] trait KeyReader extends RowReader {
  def keys(only: Option[Key]): Iterator[KeptKey]
  def deadlines: Iterator[KeptDeadline]

  final def messages(question: Question, axis: Axis): Iterator[StoredMessage] = {
    def place(row: StoredMessage) = if (axis == Axis.Time) Some(row.time) else row.origin.map(_.offset)
    keys(question.key).flatMap(_.rows).filter { row =>
      place(row).exists(at => question.start.forall(_ <= at) && question.end.forall(at <= _))
    }
  }
}

private[query] object KeyReader {

  /** Opens the stored shards of an operator. */
  def of(operator: KeyedSpec): ShardStore => KeyReader = operator match {
    case KeyedSpec.Dedup(spec, untilWatermark) => new DedupReader(spec, untilWatermark, _)
    case KeyedSpec.Match(spec)                 => new MatchReader(spec, _)
  }
}

/** Reads a deduplication. */
private[query] final class DedupReader(spec: DedupSpec, untilWatermark: Option[Boolean], store: ShardStore)
    extends KeyReader {
  private val contents = new DedupContents(spec, store, untilWatermark)

  def keys(only: Option[Key]): Iterator[KeptKey] =
    contents.keys(only).map(one => KeptKey(one.key, one.times, one.rows, Nil, one.until))

  def deadlines: Iterator[KeptDeadline] =
    contents.waiting.map { case (row, watermark) => KeptDeadline(row.key, Some(row), watermark) }
}

/** Reads a search for a pattern. */
private[query] final class MatchReader(spec: MatchSpec, store: ShardStore) extends KeyReader {
  private val contents = new MatchContents(spec, store)

  def keys(only: Option[Key]): Iterator[KeptKey] = contents.keys(only).map(one =>
    KeptKey(one.key, one.rows.map(_.time), one.rows, one.matches, one.due))

  def deadlines: Iterator[KeptDeadline] =
    keys(None).map(one => KeptDeadline(one.key, None, one.watermark))
}
