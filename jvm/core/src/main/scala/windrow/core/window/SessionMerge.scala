package windrow.core.window

import windrow.core.state.FirstIndex
import windrow.core.time.Bounds
import windrow.core.time.Position.plus

/** The effect of a message on the sessions of its key (SEMANTICS R18, R19). */
sealed trait SessionPlan

object SessionPlan {

  /** The message is inside the session at this index, whose bounds stay. */
  final case class Update(index: Int) extends SessionPlan

  /** A session with these bounds replaces those at `from until until`, or no session if it is new. */
  final case class Replace(from: Int, until: Int, bounds: Bounds) extends SessionPlan

  /** Two messages whose distance equals the gap share a session, so sessions that touch are merged (SEMANTICS R20).
    *
    * @param sessions
    *   sessions of one key, ascending and not touching
    */
  def apply(sessions: IndexedSeq[Bounds], message: Bounds): SessionPlan = {
    val from   = FirstIndex.where(sessions.size)(sessions(_).end >= message.start)
    val until  = FirstIndex.where(sessions.size)(sessions(_).start > message.end)
    val bounds = if (from == until) message else message.span(sessions(from)).span(sessions(until - 1))
    if (until == from + 1 && bounds == sessions(from)) Update(from) else Replace(from, until, bounds)
  }

  /** Sessions that a message touches, ascending. Reads these and one more.
    *
    * @param before
    *   the last session that starts before a time; sessions of one key do not touch
    */
  def touched(message: Bounds)(before: Long => Option[Bounds]): Vector[Bounds] =
    Iterator.unfold(plus(message.end, 1))(start =>
      before(start).filter(_.end >= message.start).map(found => (found, found.start))).toVector.reverse
}
