package windrow.operators

import windrow.Reason

/** Counts of the fates of an operator's messages since `init` or the last `reset` (SEMANTICS R74).
  *
  * @param rejected
  *   counts by reason; reasons without messages are omitted
  * @param duplicates
  *   messages that had already been applied
  * @param gaps
  *   messages between windows, which belong to none
  * @param filtered
  *   messages that `beforeProcess` withheld
  * @param retired
  *   accepted messages that have left the store
  * @param overRetention
  *   messages in the store beyond the configured count, because they may still be needed (SEMANTICS R10)
  */
final case class Ledger(
    accepted: Long,
    rejected: Map[Reason, Long],
    duplicates: Long,
    gaps: Long,
    filtered: Long,
    retired: Long,
    overRetention: Long) {

  /** Number of all input messages. */
  def read: Long = accepted + rejected.values.sum + duplicates + gaps + filtered

  /** Adds the counts that only the outcome of a step has. */
  private[operators] def and(outcome: Outcome[_, _]): Ledger = copy(
    rejected = outcome.rejected.foldLeft(rejected) { (all, one) =>
      all.updated(one.reason, all.getOrElse(one.reason, 0L) + 1)
    },
    filtered = filtered + outcome.filtered)

  /** Adds the counts of a core since it was created. */
  private[operators] def and(core: Core[_, _]): Ledger = copy(
    accepted = accepted + core.counters.accepted,
    duplicates = duplicates + core.counters.duplicates,
    gaps = gaps + core.counters.gaps,
    retired = retired + core.retired)
}

private[operators] object Ledger {
  val Empty: Ledger = Ledger(0, Map.empty, 0, 0, 0, 0, 0)
}
