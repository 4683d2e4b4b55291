package windrow.operators

import windrow.Reason

/** What became of the messages that an operator was given, since `init` or the last `reset` (SEMANTICS R74). Each count is
  * of messages.
  *
  * @param rejected
  *   by reason; reasons without messages are left out
  * @param duplicates
  *   that had been applied before
  * @param gaps
  *   between windows, and so in none
  * @param filtered
  *   that `beforeProcess` withheld
  * @param retired
  *   that were accepted and have left the store
  * @param overRetention
  *   that are in the store beyond the stated count, since they may still be needed (SEMANTICS R10)
  */
final case class Ledger(
    accepted: Long,
    rejected: Map[Reason, Long],
    duplicates: Long,
    gaps: Long,
    filtered: Long,
    retired: Long,
    overRetention: Long) {

  /** All messages that were given. */
  def read: Long = accepted + rejected.values.sum + duplicates + gaps + filtered
}

private[operators] object Ledger {
  val Empty: Ledger = Ledger(0, Map.empty, 0, 0, 0, 0, 0)
}
