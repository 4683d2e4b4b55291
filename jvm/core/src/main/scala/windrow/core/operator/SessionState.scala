package windrow.core.operator

import windrow.Timing
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.window.SessionBounds

/** A session in state.
  *
  * @param buffer
  *   all its messages
  * @param index
  *   of its next pane
  * @param pending
  *   messages since its last pane, or since those that it replaces had theirs
  * @param fired
  *   its last pane, which must be withdrawn if the session is replaced
  */
private[operator] final case class SessionState[B](
    bounds: SessionBounds,
    buffer: B,
    index: Long,
    pending: Long,
    fired: Option[FiredPane[B]])

/** @param buffer
  *   what the pane showed; None while that is the session's own buffer
  */
private[operator] final case class FiredPane[B](timing: Timing, isLast: Boolean, buffer: Option[B])

private[operator] final class SessionCodec[B](buffers: Codec[B]) extends Codec[Vector[SessionState[B]]] {

  def write(sessions: Vector[SessionState[B]], out: ByteWriter): Unit = {
    out.count(sessions.size.toLong)
    sessions.foreach { session =>
      out.long(session.bounds.start)
      out.long(session.bounds.end)
      out.count(session.index)
      out.count(session.pending)
      buffers.write(session.buffer, out)
      session.fired match {
        case None => out.byte(0)
        case Some(FiredPane(timing, isLast, buffer)) =>
          out.byte(1 | (timing.code << 1) | (if (isLast) 8 else 0) | (if (buffer.isDefined) 16 else 0))
          buffer.foreach(buffers.write(_, out))
      }
    }
  }

  def read(in: ByteReader): Vector[SessionState[B]] = Vector.fill(in.count().toInt) {
    val bounds  = SessionBounds(in.long(), in.long())
    val index   = in.count()
    val pending = in.count()
    val buffer  = buffers.read(in)
    val flags   = in.byte()
    val fired = Option.when((flags & 1) != 0)(
      FiredPane(Timing(((flags >> 1) & 3).toByte), (flags & 8) != 0, Option.when((flags & 16) != 0)(buffers.read(in))))
    SessionState(bounds, buffer, index, pending, fired)
  }
}
