package windrow.core.pattern

import windrow.MatchSpec
import windrow.core.state.{Key, ShardStore}
import windrow.core.store.StoredMessage
import windrow.core.time.Axis

/** The stored rows of a key, and its emitted matches that can still be retracted.
  *
  * @param due
  *   the least watermark at which the matches or the rows of the key change without more rows
  */
final case class MatchKey(key: Key, rows: IndexedSeq[StoredMessage], matches: Seq[StoredMatch], due: Long)

/** An emitted match that can still be retracted.
  *
  * @param rows
  *   in order
  * @param names
  *   for each row its name in the pattern
  */
final case class StoredMatch(rows: IndexedSeq[StoredMessage], names: IndexedSeq[String])

/** Reads the state of a search for a pattern (SEMANTICS R165). It evaluates no conditions. */
final class MatchContents(spec: MatchSpec, store: ShardStore) {
  private val shard = new MatchShard(spec, store, MatchContents.NoConditions)

  /** The stored keys, or the one of them. */
  def keys(only: Option[Key]): Iterator[MatchKey] =
    only.fold(shard.keys.all)(Iterator.single).flatMap(key => Option(shard.keys.get(key)).map(key -> _)).map {
      case (key, state) =>
        val rows = state.rows.range(Axis.Time, None, None).map(_.copy(key = key)).toIndexedSeq
        val matches = state.emitted.map(one =>
          StoredMatch(
            rows.slice(one.start, one.start + one.names.length),
            one.names.toIndexedSeq.map(name => spec.names(name.toInt))))
        MatchKey(key, rows, matches, state.due)
    }
}

private object MatchContents {
  private object NoConditions extends RowConditions {
    def readsPrevious: Boolean = false
    def classify(previous: StoredMessage, row: StoredMessage): Long =
      throw new IllegalStateException("a reader of the state does not search")
  }
}
