package windrow.core.join

import windrow.core.store.Axis
import windrow.core.store.StoredMessage
import windrow.core.window.SessionBounds
import windrow.core.window.SessionPlan

/** Messages pair that share a session of all streams together, once, when they first share it (SEMANTICS R39).
  *
  * @param sessions
  *   of a key that still take messages; messages that are kept beside them lie before them all
  */
private[join] final class SessionRule(
    gap: Long,
    lateness: Long,
    sessions: Vector[SessionBounds] = Vector.empty) extends PairRule {

  def in(state: KeySides): PairRule = new SessionRule(gap, lateness, state.sessions)

  /** The groups that a message completes: with it, and among messages whose sessions it brings together. */
  def bringsTogether(
      state: KeySides,
      stream: Int,
      message: StoredMessage): Option[Vector[Vector[StoredMessage]]] = {
    val own  = SessionBounds(message.time, Span.plus(message.time, gap))
    val plan = SessionPlan(state.sessions, own)
    val (from, until, bounds) = plan match {
      case SessionPlan.Update(index)                => (index, index + 1, state.sessions(index))
      case SessionPlan.Replace(from, until, bounds) => (from, until, bounds)
    }
    val old = state.sessions.slice(from, until)
    state.sessions = state.sessions.patch(from, Seq(bounds), until - from)
    val sides = state.runs.map(run =>
      old.zipWithIndex.flatMap { case (session, place) =>
        run.range(Axis.Time, Some(session.start), Some(session.end - 1)).map((place, _))
      })
    val withIt = product(sides.updated(stream, Vector((old.size, message))))
    val others = if (old.size < 2) Vector.empty else product(sides).filter(_.map(_._1).distinct.size > 1)
    Some((withIt ++ others).map(_.map(_._2)))
  }

  private type Placed = (Int, StoredMessage)

  private def product(sides: Seq[Vector[Placed]]): Vector[Vector[Placed]] =
    sides.foldLeft(Vector(Vector.empty[Placed]))((groups, side) =>
      for (group <- groups; one <- side) yield group :+ one)

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] =
    of(message.time).map(session => Span(session.start, session.end - 1))

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean = true

  def tooLateFrom(time: Long, stream: Int): Long = Span.plus(Span.plus(time, gap), lateness)

  def decidedFrom(time: Long, stream: Int): Long =
    of(time).fold(Long.MinValue)(session => Span.plus(session.end, lateness))

  def neededUntil(time: Long, stream: Int): Long    = decidedFrom(time, stream)
  def protectedUntil(time: Long, stream: Int): Long = decidedFrom(time, stream)
  def inGap(time: Long, stream: Int): Boolean       = false

  private def of(time: Long): Option[SessionBounds] =
    sessions.find(session => session.start <= time && time < session.end)
}
