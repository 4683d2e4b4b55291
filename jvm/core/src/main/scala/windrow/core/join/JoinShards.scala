package windrow.core.join

import windrow._
import windrow.core.state.{Key, ShardStore, SpecFingerprint}
import windrow.core.store.StoredMessage

/** Creates the shards of all joins. */
object JoinShards {

  /** Creates the shard of a join.
    *
    * @param isNull
    *   whether an equality field of a key is null, in which case it matches nothing (SEMANTICS R35)
    * @param waits
    *   how long messages of each stream wait for partners if not as the ranges require, in microseconds
    * @param condition
    *   an additional condition on the messages of a pair, in the order of their streams
    */
  def apply(
      spec: JoinSpec,
      store: ShardStore,
      isNull: Key => Boolean,
      fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
      guards: Guards = Guards.Default,
      waits: Option[IndexedSeq[Long]] = None,
      condition: Option[IndexedSeq[StoredMessage] => Boolean] = None): JoinFrame = spec.within match {
    case asOf: Within.AsOf =>
      new AsofShard(spec, new AsofRule(asOf, spec.latenessInTime), store, isNull, fingerprint, guards)
    case _ => new JoinShard(spec, store, isNull, fingerprint, guards, waits, condition)
  }
}
