package windrow.core.fullstate

import windrow.core.state.Key
import windrow.core.store.{Incoming, StoredMessage}
import windrow.core.time.Watermark
import windrow.{Pane, Reason}

/** An output of a full-state shard: a pane, or a rejected message. */
sealed trait FullStateEffect

object FullStateEffect {

  /** A pane with the messages that arrived in a window since its last pane, in order of time. */
  final case class Fire(pane: Pane[Key, Vector[StoredMessage]]) extends FullStateEffect

  /** @param watermark
    *   watermark by which the message was judged
    */
  final case class Refuse(message: Incoming, reason: Reason, watermark: Watermark) extends FullStateEffect
}
