package windrow.core.operator
package sessions

import windrow.core.aggregate.{Aggregation, OwnedCodec}
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.time.Bounds
import windrow.core.trigger.{PaneState, PaneStateCodec}

/** A session in the state.
  *
  * @param buffer
  *   buffer of all its messages
  */
private[core] final case class SessionState[B](bounds: Bounds, buffer: B, paneState: PaneState[B])

private[core] final class SessionCodec[B](aggregation: Aggregation[B, _]) extends Codec[SessionState[B]] {
  private val paneStates = new PaneStateCodec(aggregation)
  private val owned      = new OwnedCodec(aggregation)

  def write(session: SessionState[B], out: ByteWriter): Unit = {
    out.long(session.bounds.start)
    out.long(session.bounds.end)
    owned.write(session.buffer, out)
    paneStates.write(session.paneState, out, isWhole = session.paneState.unsent == 0)
  }

  def read(in: ByteReader): SessionState[B] = {
    val bounds = Bounds(in.long(), in.long())
    val buffer = aggregation.read(in)
    SessionState(bounds, buffer, paneStates.read(in, aggregation.copy(buffer)))
  }
}
