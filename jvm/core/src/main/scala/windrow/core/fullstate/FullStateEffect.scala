package windrow.core.fullstate

import windrow.Pane
import windrow.Reason
import windrow.core.state.Key
import windrow.core.store.Incoming
import windrow.core.store.StoredMessage
import windrow.core.time.Watermark

/** What comes out of a full-state shard. */
sealed trait FullStateEffect

object FullStateEffect {

  /** The messages that came to a window since its last pane, in order of time. */
  final case class Fire(pane: Pane[Key, Vector[StoredMessage]]) extends FullStateEffect

  /** @param watermark
    *   the one that the message was judged by
    */
  final case class Refuse(message: Incoming, reason: Reason, watermark: Watermark) extends FullStateEffect
}
