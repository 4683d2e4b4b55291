package windrow.core.window

import scala.annotation.tailrec
import windrow.core.state.Key
import windrow.core.time.Bounds
import windrow.core.time.Position.plus

/** All rows of a key that have one event time. No session separates them (SEMANTICS W9).
  *
  * @param reach
  *   the latest end of a row: its time plus its gap
  * @param ends
  *   whether one of them ends its session
  * @param values
  *   the different values whose change begins another session
  */
private[core] final case class Instant(time: Long, reach: Long, ends: Boolean, values: Set[Key]) {
  def widest: Long = reach - time

  def and(other: Instant): Instant =
    Instant(time, math.max(reach, other.reach), ends || other.ends, values ++ other.values)
}

/** A session as far as its rows are known.
  *
  * @param last
  *   the time of its last row
  * @param reach
  *   the end that it would have if only the gap ended it
  * @param widest
  *   the greatest gap of one of its rows
  * @param ends
  *   whether its last row ends it
  * @param values
  *   the different values of the rows at `last`
  */
private[core] final case class FormedSession(
    start: Long,
    last: Long,
    reach: Long,
    widest: Long,
    ends: Boolean,
    values: Set[Key]) {
  def holds(time: Long): Boolean = start <= time && time <= last
}

/** Sessions that rows formed, each with its bounds.
  *
  * @param until
  *   the start of the first session that they leave as it is, if there is one
  */
private[core] final case class FormedSessions(sessions: Vector[(FormedSession, Bounds)], until: Option[Long])

/** Forms the sessions of a key from its rows in order of time (SEMANTICS W9). The result depends on the rows alone.
  *
  * @param maxLength
  *   the greatest length of a session, in microseconds
  */
private[core] final class SessionCuts(maxLength: Option[Long]) {

  /** @param open
    *   the session before the first instant; it can be continued
    * @param isKnown
    *   whether a session already starts at a time, and no row at or after it has changed
    */
  def apply(open: Option[FormedSession], instants: Iterator[Instant], isKnown: Long => Boolean): FormedSessions = {
    @tailrec def from(open: FormedSession, done: Vector[(FormedSession, Bounds)]): FormedSessions =
      instants.nextOption() match {
        case None                                => FormedSessions(done :+ bounded(open, None), None)
        case Some(next) if continues(open, next) => from(extended(open, next), done)
        case Some(next) if isKnown(next.time) => FormedSessions(done :+ bounded(open, Some(next.time)), Some(next.time))
        case Some(next)                       => from(begun(next), done :+ bounded(open, Some(next.time)))
      }
    open.orElse(instants.nextOption().map(begun)).fold(FormedSessions(Vector.empty, None))(from(_, Vector.empty))
  }

  /** The last session of a key with one instant more, after all others; None if it does not continue the session. */
  def continued(open: FormedSession, next: Instant): Option[(FormedSession, Bounds)] =
    Option.when(continues(open, next))(bounded(extended(open, next), None))

  private def begun(at: Instant) = FormedSession(at.time, at.time, at.reach, at.widest, at.ends, at.values)

  private def continues(session: FormedSession, next: Instant): Boolean =
    !session.ends && next.time <= session.reach && next.time < limit(session) && next.values == session.values

  private def extended(session: FormedSession, by: Instant) = session.copy(
    last = by.time,
    reach = math.max(session.reach, by.reach),
    widest = math.max(session.widest, by.widest),
    ends = by.ends)

  private def limit(session: FormedSession): Long = maxLength.fold(Long.MaxValue)(plus(session.start, _))

  /** @param next
    *   the start of the next session, if there is one
    */
  private def bounded(session: FormedSession, next: Option[Long]): (FormedSession, Bounds) = {
    val end =
      if (session.ends) plus(session.last, 1)
      else (Seq(session.reach, limit(session)) ++ next).min
    session -> Bounds(session.start, end)
  }
}
