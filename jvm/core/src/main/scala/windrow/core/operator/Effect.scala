package windrow.core.operator

import windrow.core.state.Key
import windrow.core.time.Watermark
import windrow.{Pane, Reason, SourcePartition}

/** An output of a shard: a pane, or a rejected message. */
sealed trait Effect[+B, +V] {

  /** A copy whose pane names a source partition. */
  private[core] def of(partition: SourcePartition): Effect[B, V] = this match {
    case Effect.Fire(pane) => Effect.Fire(pane.copy(partition = Some(partition)))
    case refusal           => refusal
  }
}

object Effect {
  final case class Fire[V](pane: Pane[Key, V]) extends Effect[Nothing, V]

  /** @param watermark
    *   watermark by which the message was judged; None before the first one
    */
  final case class Refuse[B](entry: Entry[B], reason: Reason, watermark: Watermark) extends Effect[B, Nothing]
}

/** Counts of the fates of a shard's messages: read = accepted + rejected + duplicates + gaps. */
final class Counters {
  var accepted, rejected, duplicates, gaps, panes: Long = 0L

  /** Number of open windows after the last step; None if unknown (SEMANTICS S16). */
  var openWindows: Option[Long] = None

  /** Change of this number since the shard was opened; None if unknown. */
  var openChange: Option[Long] = None
}
