package windrow.core.operator
package sessions

import windrow.core.state.Place
import windrow.core.trigger.PaneState
import windrow.core.window.SessionCuts

/** The effect of a new row on the sessions of its key.
  *
  * @param replaced
  *   sessions whose bounds no longer exist
  * @param sessions
  *   each session that is new or contains the new row, without the state of its panes, and the session itself before
  *   the row or those whose rows it has received
  */
private[sessions] final case class CutChange[B](
    replaced: Vector[CutSession[B]],
    sessions: Vector[(CutSession[B], Vector[CutSession[B]])])

private[sessions] object CutChange {

  /** @param time
    *   the time of the new row
    * @param index
    *   its index in the run, which already contains it
    */
  def apply[B](cuts: SessionCuts, state: CutKeyState[B], time: Long, index: Int): CutChange[B] =
    appended(cuts, state, time, index).getOrElse {
      state.tail = None
      inserted(cuts, state, time, index)
    }

  /** The change if the row is after all others and continues the last session, as most rows do. */
  private def appended[B](cuts: SessionCuts, state: CutKeyState[B], time: Long, index: Int): Option[CutChange[B]] =
    for {
      last <- state.sessions.last
      if index + 1 == state.run.size && last.last < time
      (formed, bounds) <- cuts.continued(state.tail.getOrElse(state.formed(last)), state.newest)
    } yield {
      state.tail = Some(formed)
      val session = CutSession(bounds, formed.last, formed.reach, formed.widest, PaneState[B]())
      val origins = Vector(last)
      CutChange(if (bounds == last.bounds) Vector.empty else origins, Vector(session -> origins))
    }

  private def inserted[B](cuts: SessionCuts, state: CutKeyState[B], time: Long, index: Int): CutChange[B] = {
    val here  = Place(time, 0)
    def lower = state.sessions.before(here).nextOption()
    val known = state.sessions.get(here).orElse(lower).filter(_.holds(time))
    known.flatMap(grown(state, time, index, _)).getOrElse {
      val before = lower // the last session whose start cannot change
      val open   = before.filter(_.last < time).map(state.formed)
      val formed = cuts(
        open,
        state.instants(if (open.isDefined) time else before.fold(time)(_.bounds.start)),
        start => start > time && state.sessions.get(Place(start, 0)).isDefined)
      val old = before.toVector ++
        state.sessions.from(here).takeWhile(one => formed.until.forall(one.bounds.start < _))
      between(
        state,
        time,
        index,
        old,
        formed.sessions.map { case (session, bounds) =>
          CutSession(bounds, session.last, session.reach, session.widest, PaneState[B]())
        })
    }
  }

  /** The change if the row is in a session and moves no cut: its time, or the times next to it, have the same values. */
  private def grown[B](
      state: CutKeyState[B],
      time: Long,
      index: Int,
      session: CutSession[B]): Option[CutChange[B]] = {
    val now = state.instant(time)
    val isEqual = state.others(time, index) match {
      case Some(others) => others.values == now.values && others.ends == now.ends
      case None =>
        !now.ends && Seq(state.before(index), state.after(index)).flatten.forall(state.instant(_).values == now.values)
    }
    Option.when(isEqual && now.reach <= session.reach)(
      CutChange(Vector.empty, Vector(session.copy(widest = math.max(session.widest, now.widest)) -> Vector(session))))
  }

  /** Compares the sessions before and after the row. */
  private def between[B](
      state: CutKeyState[B],
      time: Long,
      index: Int,
      old: Vector[CutSession[B]],
      formed: Vector[CutSession[B]]): CutChange[B] = {
    val same = old.map(_.bounds).toSet intersect formed.map(_.bounds).toSet
    CutChange(
      old.filterNot(one => same(one.bounds)),
      formed.collect {
        case one if !same(one.bounds) => one -> old.filter(before => shares(state, time, index, one, before))
        case one if one.holds(time)   => one -> old.filter(_.bounds == one.bounds)
      })
  }

  /** Whether a session contains another row of an earlier session than the new one. */
  private def shares[B](
      state: CutKeyState[B],
      time: Long,
      index: Int,
      session: CutSession[B],
      before: CutSession[B]): Boolean = {
    val start = session.bounds.start
    def alone = state.others(time, index).isEmpty
    val first = if (start == time && alone) state.after(index).filter(_ <= session.last) else Some(start)
    val last  = if (session.last == time && alone) state.before(index).filter(_ >= start) else Some(session.last)
    first.exists(_ <= before.last) && last.exists(_ >= before.bounds.start)
  }
}
