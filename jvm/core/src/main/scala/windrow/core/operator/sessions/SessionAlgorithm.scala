package windrow.core.operator
package sessions

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state._
import windrow.core.time.{Bounds, Due, Position, StepClock, Watermark}
import windrow.core.trigger.{FiringRule, ProcessingTimer, Stage, WindowTrigger}
import windrow.core.window.SessionPlan

/** Session windows. The sessions of a key are stored in ascending order and never touch each other. */
private[core] final class SessionAlgorithm[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {

  private type Sessions = DeadlineLayout.Pages[SessionState[B]]

  private val lateness = spec.latenessInTime
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val rule     = new FiringRule(spec.onTime, policy)
  private val panes    = new PaneMaker(spec, aggregation, withdraws = true)
  private val segments = new Segments("pages", store)
  private val codec = new KeyPagesCodec(
    new DeadlineLayout[SessionState[B]](new SessionCodec(aggregation), one => Place(one.bounds.start, 0), deadline),
    segments)

  /** The sessions of each key. A session is removed when it closes, a key with its last session. Stored in the
    * checkpoint.
    */
  private val keys = new KeyBuckets[Sessions]("sessions", store, codec, DeadlineLayout.deadline)

  private val periods = new ProcessingTimer(policy)

  /** Whether sessions with new messages may fire at the end of the step. */
  private val looksAtTouched = policy.waitsForStepEnd(isComplete = false) || policy.waitsForStepEnd(isComplete = true)

  /** The watermark at the end of the last step, which determines deadlines; set when a step ends. */
  private var reached = Watermark.None

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  /** When a session is next due: when it completes, and later when it is removed. */
  private def deadline(session: SessionState[B]): Long = {
    val end = session.bounds.end
    if (reached.reached(end)) lateness.after(end) else end
  }

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val own = Bounds(entry.time.get, Position.plus(entry.time.get, entry.value))
    if (clock.before.reached(own.end, lateness))
      out.put(Effect.Reject(entry, Refusal.late(spec, own.start, clock.before), clock.before))
    else {
      val sessions = Option(keys.get(entry.key)).getOrElse(codec.empty)
      counters.accepted += entry.count
      val near = sessions.near(Place(own.start, 0))(_.bounds.start <= own.end) // and possibly one that ends too early
      SessionPlan(near.map(_.bounds), own) match {
        case SessionPlan.Update(index) => update(entry, sessions, near(index), clock, out)
        case SessionPlan.Replace(from, until, bounds) =>
          replace(entry, sessions, near.slice(from, until), bounds, clock, out)
      }
    }
  }

  private def update(
      entry: Entry[B],
      sessions: Sessions,
      old: SessionState[B],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val now = old.copy(
      buffer = aggregation.combine(old.buffer, entry.buffer),
      paneState = panes.add(old.paneState, entry, clock.processingTime))
    put(entry.key, sessions, now, clock, isFirst = false, out)
  }

  private def replace(
      entry: Entry[B],
      sessions: Sessions,
      replaced: Vector[SessionState[B]],
      bounds: Bounds,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    replaced.foreach(old => panes.withdraw(idOf(entry.key, old), old.paneState, out))
    val now = SessionState(
      bounds,
      replaced.map(_.buffer).reduceOption(aggregation.combine).fold(entry.buffer)(aggregation.combine(_, entry.buffer)),
      panes.add(panes.merged(replaced.map(_.paneState)), entry, clock.processingTime))
    val hasFired = replaced.nonEmpty && replaced.forall(old => clock.before.reached(old.bounds.end)) // SEMANTICS R79
    replaced.filter(_.bounds.start != bounds.start).foreach(sessions.remove) // `put` replaces the other
    put(entry.key, sessions, now, clock, isFirst = !hasFired, out)
  }

  /** Stores a session after the pane that its last message fires, if any.
    *
    * @param isFirst
    *   whether the session fires with this message if it is complete (SEMANTICS R79)
    */
  private def put(
      key: Key,
      sessions: Sessions,
      session: SessionState[B],
      clock: StepClock,
      isFirst: Boolean,
      out: Out[Effect[B, V]]): Unit = {
    val isComplete = clock.before.reached(session.bounds.end)
    val timing     = rule.withMessage(isComplete, isFirst, completes = false, session.paneState.unsent)
    val now        = fire(key, session, timing, isLast = false, out)
    periods.add(isComplete, now.paneState)
    sessions.put(now)
    keys.put(key, sessions)
  }

  private def fire(
      key: Key,
      session: SessionState[B],
      timing: Option[Timing],
      isLast: Boolean,
      out: Out[Effect[B, V]]): SessionState[B] =
    timing.fold(session)(timing =>
      session.copy(paneState =
        panes.fire(idOf(key, session), session.paneState, timing, isLast, session.buffer, out)))

  private def idOf(key: Key, session: SessionState[B]) = WindowId(key, session.bounds)

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    reached = now
    val isDue = periods.takeReached(clock.processingTime)
    if (now == clock.before && !looksAtTouched && !isDue) Iterator.empty
    else {
      val horizon = if (isDue) Due.Never else now.at
      keys.walk(horizon).map[Part[Effect[B, V]]](key => endStep(key, horizon, clock, now, _))
    }
  }

  private def endStep(key: Key, horizon: Long, clock: StepClock, now: Watermark, out: Out[Effect[B, V]]): Unit = {
    val sessions = keys.get(key)
    val due      = sessions.due(_ <= horizon)
    due.foreach(before => keep(sessions, before, endStep(key, before, clock, now, out), clock, now))
    if (sessions.isEmpty) keys.remove(key) else if (due.nonEmpty) keys.put(key, sessions)
  }

  private def keep(
      sessions: Sessions,
      before: SessionState[B],
      session: SessionState[B],
      clock: StepClock,
      now: Watermark): Unit = {
    val isComplete = now.reached(session.bounds.end)
    if (now.reached(session.bounds.end, lateness)) {
      sessions.remove(session)
      aggregation.storage.foreach(_.release(session.buffer))
    } else {
      if ((session ne before) || (isComplete && !clock.before.reached(session.bounds.end))) sessions.put(session)
      periods.add(isComplete, session.paneState)
    }
  }

  private def endStep(
      key: Key,
      before: SessionState[B],
      clock: StepClock,
      now: Watermark,
      out: Out[Effect[B, V]]): SessionState[B] = {
    val begun     = before.paneState.begun(clock.processingTime)
    val session   = if (begun eq before.paneState) before else before.copy(paneState = begun)
    val end       = session.bounds.end
    val stage     = Stage(now.reached(end), now.reached(end, lateness))
    val completes = stage.isComplete && !clock.before.reached(end)
    fire(
      key,
      session,
      rule.atStepEnd(stage, completes, begun, clock.processingTime, begun.isTouched),
      stage.isClosed,
      out)
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walkAll.flatMap(key =>
    keys.get(key).all.map(one =>
      OpenWindow(key, one.bounds, at.reached(one.bounds.end), one.paneState, one.buffer)))

  override def openCount(before: Option[Long]): Option[Long] =
    if (keys.size == 0) Some(0L) else before.map(_ + segments.grown)

  protected def parts: Seq[StatePart] = Seq(keys, periods, segments)
}
