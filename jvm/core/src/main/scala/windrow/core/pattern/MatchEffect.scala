package windrow.core.pattern

import scala.collection.immutable.ArraySeq
import windrow.Reason
import windrow.core.state.Key
import windrow.core.store.{Incoming, StoredMessage}
import windrow.core.time.Watermark

/** An output of a search for a pattern: a match, or a rejected message. */
sealed trait MatchEffect

object MatchEffect {

  /** A match.
    *
    * @param rows
    *   its rows in order
    * @param names
    *   for each row the number of its name in the pattern
    * @param isRetraction
    *   whether it withdraws an equal match
    */
  final case class Found(key: Key, rows: ArraySeq[StoredMessage], names: Array[Byte], isRetraction: Boolean)
      extends MatchEffect

  /** @param watermark
    *   watermark by which the message was judged
    */
  final case class Reject(message: Incoming, reason: Reason, watermark: Watermark) extends MatchEffect
}
