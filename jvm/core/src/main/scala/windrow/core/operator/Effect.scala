package windrow.core.operator

import windrow.Pane
import windrow.Reason
import windrow.SourcePartition
import windrow.core.state.Key
import windrow.core.time.Watermark

/** What comes out of a shard. */
sealed trait Effect[+B, +V] {

  /** The same, of a source partition. */
  private[core] def of(partition: SourcePartition): Effect[B, V] = this match {
    case Effect.Fire(pane) => Effect.Fire(pane.copy(partition = Some(partition)))
    case refusal           => refusal
  }
}

object Effect {
  final case class Fire[V](pane: Pane[Key, V]) extends Effect[Nothing, V]

  /** @param watermark
    *   the one that the message was judged by; None before the first
    */
  final case class Refuse[B](entry: Entry[B], reason: Reason, watermark: Watermark) extends Effect[B, Nothing]
}

/** What became of the messages of a shard; read = accepted + rejected + duplicates + gaps. */
final class Counters {
  var accepted, rejected, duplicates, gaps, panes: Long = 0L

  /** Open windows as the last step has left them; None: not known (SEMANTICS S16). */
  var openWindows: Option[Long] = None

  /** How many more these are than when the shard was opened; None: not known. */
  var openChange: Option[Long] = None
}
