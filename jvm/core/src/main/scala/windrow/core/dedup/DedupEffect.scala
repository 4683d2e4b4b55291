package windrow.core.dedup

import windrow.Reason
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** An output of a deduplication. */
sealed trait DedupEffect

object DedupEffect {

  /** A row that is kept. */
  final case class Keep(message: Incoming) extends DedupEffect

  /** A row that was emitted in an earlier step and is not kept any longer. */
  final case class Retract(message: Incoming) extends DedupEffect

  /** A row that is not kept: a duplicate, or one that cannot be judged.
    *
    * @param watermark
    *   watermark by which the message was judged
    */
  final case class Drop(message: Incoming, reason: Reason, watermark: Watermark) extends DedupEffect

  /** A row that an earlier step accepted, and that a row of this step has made a duplicate. */
  final case class Replace(message: Incoming, watermark: Watermark) extends DedupEffect
}
