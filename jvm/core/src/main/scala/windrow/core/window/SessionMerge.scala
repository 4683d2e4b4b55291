package windrow.core.window

import windrow.core.state.FirstIndex
import windrow.core.time.Bounds
import windrow.core.time.Position.plus

/** What a message does to the sessions of its key (SEMANTICS R18, R19). */
sealed trait SessionPlan

object SessionPlan {

  /** It lies inside the session at this index, whose bounds stay. */
  final case class Update(index: Int) extends SessionPlan

  /** A session of these bounds takes the place of those at `from until until`, none of them if it is the first. */
  final case class Replace(from: Int, until: Int, bounds: Bounds) extends SessionPlan

  /** Two messages at distance exactly the gap share a session, so bounds that touch do too (SEMANTICS R20).
    *
    * @param sessions
    *   of one key, ascending and apart
    */
  def apply(sessions: IndexedSeq[Bounds], message: Bounds): SessionPlan = {
    val from   = FirstIndex.where(sessions.size)(sessions(_).end >= message.start)
    val until  = FirstIndex.where(sessions.size)(sessions(_).start > message.end)
    val bounds = if (from == until) message else message.span(sessions(from)).span(sessions(until - 1))
    if (until == from + 1 && bounds == sessions(from)) Update(from) else Replace(from, until, bounds)
  }

  /** Sessions that a message touches, ascending, with a look at these and one more.
    *
    * @param before
    *   of those that begin before a time the last one; sessions of one key, apart
    */
  def touched(message: Bounds)(before: Long => Option[Bounds]): Vector[Bounds] =
    Iterator.unfold(plus(message.end, 1))(start =>
      before(start).filter(_.end >= message.start).map(found => (found, found.start))).toVector.reverse
}
