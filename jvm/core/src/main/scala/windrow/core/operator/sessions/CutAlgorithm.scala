package windrow.core.operator
package sessions

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state._
import windrow.core.time.{Due, EventTime, Position, StepClock, Watermark}
import windrow.core.trigger.{FiringRule, PaneState, ProcessingTimer, Stage, WindowTrigger}
import windrow.core.window.SessionCuts

/** Sessions that more than a gap ends (SEMANTICS W9). The rows of each key are stored, because a row can divide a
  * session, or move all cuts after it. The sessions of a key are in ascending order and do not overlap.
  */
private[core] final class CutAlgorithm[B, V](
    maxLength: Option[TimeSpan],
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {

  private type Session = CutSession[B]
  private type State   = CutKeyState[B]

  private val cuts     = new SessionCuts(maxLength.map(_.micros))
  private val lateness = spec.latenessInTime
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val rule     = new FiringRule(spec.onTime, policy)
  private val panes    = new PaneMaker(spec, aggregation, withdraws = true)
  private val pages    = new Segments("pages", store)
  private val runs     = new Segments("runs", store)
  private val paged = new DeadlineLayout[Session](
    new CutSessionCodec(aggregation),
    one => Place(one.bounds.start, 0),
    deadline)
  private val codec = new CutKeyStateCodec(aggregation, paged, pages, runs)

  /** A session is removed with its rows when it closes, a key when it has no session and no row could be before one
    * that was cut. Stored in the checkpoint.
    */
  private val keys = new KeyBuckets[State]("sessions", store, codec, deadline)

  private val periods = new ProcessingTimer(policy)

  /** The watermark at the end of the last step, which determines deadlines; set when a step ends. */
  private var reached = Watermark.None

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  private def isClosed(session: Session, at: Watermark): Boolean = at.reached(session.bounds.end, lateness)

  /** When a session is next due: when it completes, and later when it is removed. */
  private def deadline(session: Session): Long =
    if (reached.reached(session.bounds.end)) lateness.after(session.bounds.end) else session.bounds.end

  private def deadline(state: State): Long = math.min(
    DeadlineLayout.deadline(state.sessions),
    if (state.settled == EventTime.Min) Due.Never else lateness.after(state.forgets))

  // ---- rows

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val time  = entry.time.get
    val known = Option(keys.get(entry.key))
    if (clock.before.reached(Position.plus(time, entry.value), lateness) || known.exists(time < _.settled))
      out.put(Effect.Reject(entry, Refusal.late(spec, time, clock.before), clock.before))
    else {
      val state = known.getOrElse(codec.empty)
      counters.accepted += entry.count
      val change = CutChange(cuts, state, time, state.insert(entry))
      apply(entry, state, change, clock, out)
      keys.put(entry.key, state)
    }
  }

  private def apply(
      entry: Entry[B],
      state: State,
      change: CutChange[B],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    change.replaced.foreach(old => panes.withdraw(WindowId(entry.key, old.bounds), old.paneState, out))
    val starts = change.sessions.iterator.map(_._1.bounds.start).toSet // of sessions that replace one at their place
    change.replaced.foreach(old => if (!starts(old.bounds.start)) state.sessions.remove(old))
    val withdrawn = WithdrawnSessions.together(change.replaced.flatMap(_.left))
    change.sessions.foreach { case (formed, origins) =>
      val known   = origins.filter(_.bounds == formed.bounds).headOption
      val session = formed.copy(withdrawn = known.fold(withdrawn.filter(one => formed.holds(one.start)))(_.withdrawn))
      val whole   = origins.forall(one => session.bounds.start <= one.bounds.start && one.last <= session.last)
      val added   = session.holds(entry.time.get)
      val paneState =
        if (added && whole)
          panes.add(known.fold(first(session, origins))(_.paneState), entry, clock.processingTime)
        else panes.add(
          PaneState[B](session.firstIndex, since = origins.flatMap(_.paneState.since).minOption),
          state.messages(session),
          state.value(session),
          clock.processingTime)
      put(entry.key, state, session.copy(paneState = paneState), origins, clock, out)
    }
  }

  private def first(session: Session, origins: Seq[Session]): PaneState[B] =
    panes.merged(origins.map(_.paneState)).copy(index = session.firstIndex)

  /** Stores a session after the pane that a row fires, if any.
    *
    * @param origins
    *   the session itself before the row, or those whose rows it has received
    */
  private def put(
      key: Key,
      state: State,
      session: Session,
      origins: Seq[Session],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val isComplete = clock.before.reached(session.bounds.end)
    val hasFired   = origins.nonEmpty && origins.forall(_.paneState.isPastOnTime)
    // A session that its cut completes is not late, because no pane of it could be on time before (SEMANTICS R79).
    val isLate = isComplete && (if (origins.isEmpty) clock.before.reached(session.reach) else hasFired)
    val timing =
      if ((isComplete && !isLate) || isClosed(session, clock.before)) None // it fires at the end of the step
      else rule.withMessage(isLate, isLate && !hasFired, completes = false, session.paneState.unsent)
    val now = session.copy(paneState = session.paneState.copy(isPastOnTime = isLate))
    periods.add(isLate, now.paneState)
    state.sessions.put(fire(key, state, now, timing, isLast = false, out))
  }

  private def fire(
      key: Key,
      state: State,
      session: Session,
      timing: Option[Timing],
      isLast: Boolean,
      out: Out[Effect[B, V]]): Session =
    timing.fold(session)(timing =>
      session.copy(paneState =
        panes.fire(WindowId(key, session.bounds), session.paneState, timing, isLast, state.value(session), out)))

  // ---- the end of a step

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    reached = now
    val isDue   = periods.takeReached(clock.processingTime)
    val horizon = if (isDue) Due.Never else if (now != clock.before) now.at else Due.AtOnce
    keys.walk(horizon).map[Part[Effect[B, V]]](key => endStep(key, horizon, clock, now, _))
  }

  private def endStep(key: Key, horizon: Long, clock: StepClock, now: Watermark, out: Out[Effect[B, V]]): Unit = {
    val state = keys.get(key)
    val due   = state.sessions.due(_ <= horizon)
    due.foreach(before => keep(state, before, endStep(key, state, before, clock, now, out), clock, now))
    state.close(due.filter(isClosed(_, now)))
    val isForgotten = state.settled != EventTime.Min && now.reached(state.forgets, lateness)
    if (isForgotten) state.settled = EventTime.Min
    if (state.isEmpty) keys.remove(key) else if (due.nonEmpty || isForgotten) keys.put(key, state)
  }

  private def keep(state: State, before: Session, session: Session, clock: StepClock, now: Watermark): Unit =
    if (isClosed(session, now)) state.sessions.remove(session)
    else {
      val passes = now.reached(session.bounds.end) && !clock.before.reached(session.bounds.end)
      if ((session ne before) || passes) state.sessions.put(session)
      periods.add(session.paneState.isPastOnTime, session.paneState)
    }

  private def endStep(
      key: Key,
      state: State,
      before: Session,
      clock: StepClock,
      now: Watermark,
      out: Out[Effect[B, V]]): Session = {
    val begun     = before.paneState.begun(clock.processingTime)
    val isLast    = isClosed(before, now)
    val completes = !begun.isPastOnTime && (isLast || now.reached(before.bounds.end))
    val paneState = if (completes) begun.copy(isPastOnTime = true) else begun
    val session   = if (paneState eq before.paneState) before else before.copy(paneState = paneState)
    val stage     = Stage(paneState.isPastOnTime, isLast)
    fire(
      key,
      state,
      session,
      rule.atStepEnd(stage, completes, paneState, clock.processingTime, paneState.isTouched),
      isLast,
      out)
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walkAll.flatMap { key =>
    val state = keys.get(key)
    state.sessions.all.map(one =>
      OpenWindow(key, one.bounds, one.paneState.isPastOnTime, one.paneState, state.value(one)))
  }

  override def openCount(before: Option[Long]): Option[Long] =
    if (keys.size == 0) Some(0L) else before.map(_ + pages.grown)

  protected def parts: Seq[StatePart] = Seq(keys, periods, pages, runs)
}
