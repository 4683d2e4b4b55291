package windrow.core.join

import scala.collection.immutable.TreeMap
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Bounds, Distance, Due, Position}
import windrow.core.window.SessionPlan

/** Messages pair if they share a session of all streams together. A pair is found once, when they first share it
  * (SEMANTICS R39).
  *
  * @param sessions
  *   sessions of a key that still accept messages, by start; all other stored messages precede them
  */
private[join] final class SessionRule(
    gap: Long,
    lateness: Distance[Axis.Time],
    sessions: TreeMap[Long, Bounds] = TreeMap.empty) extends PairRule {

  def in(state: KeySides): PairRule = new SessionRule(gap, lateness, state.sessions)

  /** The groups that a message completes: those that include it, and those across sessions that it merges. */
  def bringsTogether(
      state: KeySides,
      stream: Int,
      message: StoredMessage): Option[Iterator[IndexedSeq[StoredMessage]]] = {
    val own = Bounds(message.time, Position.plus(message.time, gap))
    val old = SessionPlan.touched(own)(start => state.sessions.maxBefore(start).map(_._2))
    val all = old.foldLeft(own)(_ span _)
    state.sessions = state.sessions -- old.map(_.start) + (all.start -> all)
    def messagesOf(side: Int, in: Bounds): Iterator[StoredMessage] =
      state.runs(side).range(Axis.Time, Some(in.start), Some(in.last))
    val streams = state.runs.indices.toList
    val withIt =
      product(streams)(side => if (side == stream) Iterator.single(message) else messagesOf(side, all))
    Some(withIt ++ spread(streams, old).flatMap(place => product(streams)(side => messagesOf(side, place(side)))))
  }

  /** All ways to choose a session for each stream, except those with the same session for all streams. */
  private def spread(streams: List[Int], sessions: Vector[Bounds]): Iterator[Vector[Bounds]] =
    streams.foldLeft(Iterator.single(Vector.empty[Bounds]))((places, _) =>
      places.flatMap(place => sessions.iterator.map(place :+ _))).filter(_.distinct.size > 1)

  /** All combinations of one message of each stream; none if a stream is empty. */
  private def product(streams: List[Int])(of: Int => Iterator[StoredMessage]): Iterator[IndexedSeq[StoredMessage]] =
    if (streams.forall(of(_).hasNext))
      streams.foldLeft(Iterator.single(Vector.empty[StoredMessage]))((groups, side) =>
        groups.flatMap(group => of(side).map(group :+ _)))
    else Iterator.empty

  def range(message: StoredMessage, stream: Int, other: Int): Option[Span] =
    of(message.time).map(session => Span(session.start, session.last))

  def pairs(a: StoredMessage, streamA: Int, b: StoredMessage, streamB: Int): Boolean = true

  def tooLateFrom(time: Long, stream: Int): Long = lateness.after(Position.plus(time, gap))

  def decidedFrom(time: Long, stream: Int): Long =
    of(time).fold(Due.AtOnce)(session => lateness.after(session.end))

  def neededUntil(time: Long, stream: Int): Long    = decidedFrom(time, stream)
  def protectedUntil(time: Long, stream: Int): Long = decidedFrom(time, stream)
  def inGap(time: Long, stream: Int): Boolean       = false

  private def of(time: Long): Option[Bounds] =
    sessions.rangeTo(time).lastOption.map(_._2).filter(time < _.end)
}
