package windrow.core.operator

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state._
import windrow.core.window.SessionBounds
import windrow.core.window.SessionPlan

/** Session windows: a key's sessions are kept side by side, ascending and apart. */
private[operator] final class SessionAlgorithm[B, V](
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces,
    classes: Boolean)
    extends WindowAlgorithm[B, V] {

  private type Sessions = Vector[SessionState[B]]

  private val lateness = spec.lateness.micros
  private val policy   = new FiringPolicy(spec.early, spec.late)
  private val panes    = new PaneMaker(spec, aggregation, withdraws = true)
  private val keys     = new KeyBuckets[Sessions]("sessions", store, new SessionCodec(aggregation), _.map(deadline).min)
  private val periods  = new Deadline(policy)

  /** Sessions that messages reached may fire at the end of their step. */
  private val looksAtTouched = policy.waitsForStepEnd(isComplete = false) || policy.waitsForStepEnd(isComplete = true)

  /** The watermark at the end of the last step. */
  private var reached = Watermark.None

  def processingDeadline: Option[Long] = periods.next

  /** When to look at a session again: as it completes, later as it leaves. */
  private def deadline(session: SessionState[B]): Long = {
    val end = session.bounds.end
    if (!reached.reached(end)) end else if (end + lateness < end) Long.MaxValue else end + lateness
  }

  def add(entry: Entry[B], clock: StepClock, counters: Counters): Iterator[Effect[B, V]] = {
    val own = SessionBounds(entry.time.get, entry.time.get + entry.gap)
    if (clock.before.reached(own.end, lateness))
      Iterator.single(Effect.Refuse(entry, Refusal.late(spec, own.start, clock.before), clock.before))
    else {
      val sessions = Option(keys.get(entry.key)).getOrElse(Vector.empty)
      counters.accepted += entry.count
      if (classes)
        counters.classify(own.start, sessions.lastOption.map(last => (last.bounds.start, last.bounds.end)))
      SessionPlan(sessions.map(_.bounds), own) match {
        case SessionPlan.Update(index)                => update(entry, sessions, index, clock)
        case SessionPlan.Replace(from, until, bounds) => replace(entry, sessions, from, until, bounds, clock)
      }
    }
  }

  private def update(entry: Entry[B], sessions: Sessions, index: Int, clock: StepClock): Iterator[Effect[B, V]] = {
    val old = sessions(index)
    val now = old.copy(
      buffer = aggregation.combine(old.buffer, entry.buffer),
      firing = panes.add(old.firing, entry, clock.processingTime))
    put(entry.key, sessions, index, index + 1, now, clock, isFirst = false)
  }

  private def replace(
      entry: Entry[B],
      sessions: Sessions,
      from: Int,
      until: Int,
      bounds: SessionBounds,
      clock: StepClock): Iterator[Effect[B, V]] = {
    val replaced  = sessions.slice(from, until)
    val withdrawn = replaced.iterator.flatMap(old => panes.withdrawn(idOf(entry.key, old), old.firing))
    val now = SessionState(
      bounds,
      replaced.map(_.buffer).reduceOption(aggregation.combine).fold(entry.buffer)(aggregation.combine(_, entry.buffer)),
      panes.add(panes.merged(replaced.map(_.firing)), entry, clock.processingTime))
    val hasFired = replaced.nonEmpty && replaced.forall(old => clock.before.reached(old.bounds.end)) // SEMANTICS R79
    withdrawn ++ put(entry.key, sessions, from, until, now, clock, isFirst = !hasFired)
  }

  /** Puts a session in the place of others, after the pane that its last message fires, if it does.
    *
    * @param isFirst
    *   if the session is complete it fires with this message (SEMANTICS R79)
    */
  private def put(
      key: Key,
      sessions: Sessions,
      from: Int,
      until: Int,
      session: SessionState[B],
      clock: StepClock,
      isFirst: Boolean): Iterator[Effect[B, V]] = {
    val isComplete = clock.before.reached(session.bounds.end)
    val fires = policy.afterMessage(isComplete, session.firing.unsent) ||
      (isFirst && isComplete && spec.onTime && !policy.waitsForStepEnd(isComplete))
    val (fired, now) =
      if (fires) fire(key, session, if (isComplete) Timing.Late else Timing.Early, isLast = false)
      else (Iterator.empty, session)
    periods.add(isComplete, now.firing)
    keys.put(key, sessions.patch(from, Seq(now), until - from))
    fired
  }

  private def fire(
      key: Key,
      session: SessionState[B],
      timing: Timing,
      isLast: Boolean): (Iterator[Effect[B, V]], SessionState[B]) = {
    val (fired, firing) = panes.fire(idOf(key, session), session.firing, timing, isLast, session.buffer)
    (fired, session.copy(firing = firing))
  }

  private def idOf(key: Key, session: SessionState[B]) = WindowId(key, session.bounds.start, session.bounds.end)

  def advance(clock: StepClock, now: Watermark): Iterator[Effect[B, V]] = {
    reached = now
    val isDue = periods.isReached(clock.processingTime)
    if (isDue) periods.clear()
    if (now == clock.before && !looksAtTouched && !isDue) Iterator.empty
    else {
      val horizon = if (isDue) Long.MaxValue else if (now.isDefined) now.micros else Long.MinValue
      keys.due(horizon).flatMap(endStep(_, clock, now))
    }
  }

  private def endStep(key: Key, clock: StepClock, now: Watermark): Iterator[Effect[B, V]] = {
    val sessions = keys.get(key)
    val ended    = sessions.map(session => endStep(key, session, clock, now))
    val kept     = ended.map(_._2).filterNot(session => now.reached(session.bounds.end, lateness))
    for (keeping <- aggregation.keeping; (_, session) <- ended if now.reached(session.bounds.end, lateness))
      keeping.release(session.buffer)
    if (kept.isEmpty) keys.remove(key) else if (!kept.corresponds(sessions)(_ eq _)) keys.put(key, kept)
    kept.foreach(session => periods.add(now.reached(session.bounds.end), session.firing))
    ended.iterator.flatMap(_._1)
  }

  private def endStep(
      key: Key,
      before: SessionState[B],
      clock: StepClock,
      now: Watermark): (Iterator[Effect[B, V]], SessionState[B]) = {
    val begun      = before.firing.begun(clock.processingTime)
    val session    = if (begun eq before.firing) before else before.copy(firing = begun)
    val end        = session.bounds.end
    val isComplete = now.reached(end)
    val isLast     = now.reached(end, lateness)
    val timing =
      if (isComplete && !clock.before.reached(end) && spec.onTime) Some(Timing.OnTime)
      else if (policy.atStepEnd(isComplete, session.firing.unsent, session.firing.since, clock.processingTime))
        Some(if (isComplete) Timing.Late else Timing.Early)
      else Option.when(isLast && session.firing.unsent > 0)(Timing.Late) // SEMANTICS R80
    timing.fold((Iterator.empty: Iterator[Effect[B, V]], session))(fire(key, session, _, isLast))
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.due(Long.MaxValue).flatMap(key =>
    keys.get(key).iterator.map(one =>
      OpenWindow(key, one.bounds.start, one.bounds.end, at.reached(one.bounds.end), one.firing, one.buffer)))

  def flush(): Unit = keys.flush()

  def readDirectory(in: ByteReader): Unit = {
    keys.readDirectory(in)
    periods.read(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    keys.writeDirectory(out)
    periods.write(out)
  }
}
