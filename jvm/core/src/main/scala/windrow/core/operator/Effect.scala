package windrow.core.operator

import windrow.core.state.Key
import windrow.core.time.Watermark
import windrow.{Pane, Reason, SourcePartition}

/** An output of a shard: a pane, or a rejected message. */
sealed trait Effect[+B, +V] {

  /** A copy whose pane names a source partition. */
  private[core] def of(partition: SourcePartition): Effect[B, V] = this match {
    case Effect.Fire(pane) => Effect.Fire(pane.copy(partition = Some(partition)))
    case rejection         => rejection
  }

  /** A copy that names one of several windows. */
  private[core] def of(name: Some[String]): Effect[B, V] = this match {
    case Effect.Fire(pane)           => Effect.Fire(pane.copy(name = name))
    case rejection: Effect.Reject[B] => rejection.copy(window = name)
  }
}

object Effect {
  final case class Fire[V](pane: Pane[Key, V]) extends Effect[Nothing, V]

  /** @param watermark
    *   watermark by which the message was judged; None before the first one
    * @param window
    *   the name of the window that rejects it; None if there is one kind of windows, or if all reject it as unusable
    * @param isCounted
    *   whether the message counts as rejected. One of several windows may accept it, or have counted it.
    */
  final case class Reject[+B](
      entry: Entry[B],
      reason: Reason,
      watermark: Watermark,
      window: Option[String] = None,
      isCounted: Boolean = true)
      extends Effect[B, Nothing]
}

/** Counts of the fates of a shard's messages: read = accepted + rejected + duplicates + gaps. */
final class Counters {
  var accepted, rejected, duplicates, gaps, panes: Long = 0L

  /** Number of open windows after the last step; None if unknown (SEMANTICS S16). */
  var openWindows: Option[Long] = None

  /** Change of this number since the shard was opened; None if unknown. */
  var openChange: Option[Long] = None
}
