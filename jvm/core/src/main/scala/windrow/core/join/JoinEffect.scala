package windrow.core.join

import windrow.Reason
import windrow.core.store.Incoming
import windrow.core.time.Watermark

/** An output of a join: a row, or a rejected message. */
sealed trait JoinEffect

object JoinEffect {
  final case class Row(row: JoinRow) extends JoinEffect

  /** @param stream
    *   index of the stream in the spec
    * @param watermark
    *   watermark by which the message was judged
    */
  final case class Reject(stream: Int, message: Incoming, reason: Reason, watermark: Watermark) extends JoinEffect
}
