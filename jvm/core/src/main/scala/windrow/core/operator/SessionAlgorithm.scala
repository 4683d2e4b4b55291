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
    store: ShardStore,
    classes: Boolean)
    extends WindowAlgorithm[B, V] {

  private type Sessions = Vector[SessionState[B]]

  private val lateness = spec.lateness.micros
  private val policy   = new LatePolicy(spec.late)

  private val keys = new KeyBuckets[Sessions]("sessions", store, new SessionCodec(aggregation), _.map(deadline).min)

  /** The watermark at the end of the last step. */
  private var reached = Watermark.None

  /** When to look at a session again: as it completes, later as it leaves. */
  private def deadline(session: SessionState[B]): Long = {
    val end = session.bounds.end
    if (reached.reached(end)) end + lateness else end
  }

  def add(entry: Entry[B], clock: StepClock, counters: Counters): Iterator[Effect[B, V]] = {
    val before = clock.before
    val own    = SessionBounds(entry.time.get, entry.time.get + entry.gap)
    if (before.reached(own.end, lateness)) Iterator.single(Effect.Refuse(entry, Reason.TooLate, before))
    else {
      val sessions = Option(keys.get(entry.key)).getOrElse(Vector.empty)
      counters.accepted += entry.count
      if (classes) classify(sessions, own.start, counters)
      SessionPlan(sessions.map(_.bounds), own) match {
        case SessionPlan.Update(index)                => update(entry, sessions, index, before)
        case SessionPlan.Replace(from, until, bounds) => replace(entry, sessions, from, until, bounds, before)
      }
    }
  }

  private def classify(sessions: Sessions, time: Long, counters: Counters): Unit = sessions.lastOption match {
    case Some(current) if time < current.bounds.start => counters.past += 1
    case Some(current) if time >= current.bounds.end  => counters.future += 1
    case _                                            => counters.inTime += 1
  }

  private def update(entry: Entry[B], sessions: Sessions, index: Int, before: Watermark): Iterator[Effect[B, V]] = {
    val old = sessions(index)
    // What the last pane showed is needed if the session is replaced later, so it is set aside before it changes.
    val shown = old.fired.map(pane => pane.copy(buffer = pane.buffer.orElse(Some(aggregation.copy(old.buffer)))))
    val now = old.copy(
      buffer = aggregation.combine(old.buffer, entry.buffer),
      pending = old.pending + entry.count,
      fired = shown)
    val fires = before.reached(now.bounds.end) && policy.afterMessage(now.pending)
    store(entry.key, sessions, index, index + 1, now, fires)
  }

  private def replace(
      entry: Entry[B],
      sessions: Sessions,
      from: Int,
      until: Int,
      bounds: SessionBounds,
      before: Watermark): Iterator[Effect[B, V]] = {
    val replaced  = sessions.slice(from, until)
    val withdrawn = replaced.flatMap(old => old.fired.map(withdraw(entry.key, old, _)))
    val now = SessionState(
      bounds,
      replaced.map(_.buffer).reduceOption(aggregation.combine).fold(entry.buffer)(aggregation.combine(_, entry.buffer)),
      index = 0,
      pending = replaced.map(_.pending).sum + entry.count,
      fired = None)
    val counts = replaced.nonEmpty && replaced.forall(old => before.reached(old.bounds.end)) // as fired: SEMANTICS R79
    val fires  = before.reached(bounds.end) && !policy.atStepEnd && (!counts || policy.afterMessage(now.pending))
    withdrawn.iterator ++ store(entry.key, sessions, from, until, now, fires)
  }

  /** Puts a session in the place of others, after its late pane if it fires. */
  private def store(
      key: Key,
      sessions: Sessions,
      from: Int,
      until: Int,
      session: SessionState[B],
      fires: Boolean): Iterator[Effect[B, V]] = {
    keys.put(
      key,
      sessions.patch(from, Seq(if (fires) shown(session, Timing.Late, isLast = false) else session), until - from))
    if (fires) Iterator.single(pane(key, session, Timing.Late, isLast = false)) else Iterator.empty
  }

  private def pane(key: Key, session: SessionState[B], timing: Timing, isLast: Boolean): Effect[B, V] =
    Effect.Fire(Pane(
      key,
      session.bounds.start,
      session.bounds.end,
      timing,
      session.index,
      isLast,
      isRetraction = false,
      aggregation.lower(session.buffer)))

  private def shown(session: SessionState[B], timing: Timing, isLast: Boolean): SessionState[B] =
    session.copy(index = session.index + 1, pending = 0, fired = Some(FiredPane(timing, isLast, None)))

  private def withdraw(key: Key, session: SessionState[B], pane: FiredPane[B]): Effect[B, V] =
    Effect.Fire(Pane(
      key,
      session.bounds.start,
      session.bounds.end,
      pane.timing,
      session.index - 1,
      pane.isLast,
      isRetraction = true,
      aggregation.lower(pane.buffer.getOrElse(session.buffer))))

  def advance(clock: StepClock, now: Watermark): Iterator[Effect[B, V]] = {
    val before = clock.before
    reached = now
    keys.due(if (now.isDefined) now.micros else Long.MinValue).flatMap { key =>
      val sessions = keys.get(key)
      if (now == before && !policy.atStepEnd) Iterator.empty
      else {
        val steps = sessions.map(session => (session, timingAtStepEnd(session, before, now)))
        val kept = steps.collect {
          case (session, timing) if !now.reached(session.bounds.end, lateness) =>
            timing.fold(session)(shown(session, _, isLast = false))
        }
        val firing = steps.collect { case (session, Some(timing)) =>
          pane(key, session, timing, now.reached(session.bounds.end, lateness))
        }
        if (kept.isEmpty) keys.remove(key)
        else if (firing.nonEmpty || kept.size < sessions.size) keys.put(key, kept)
        firing
      }
    }
  }

  private def timingAtStepEnd(session: SessionState[B], before: Watermark, now: Watermark): Option[Timing] = {
    val end = session.bounds.end
    if (!now.reached(end)) None
    else if (!before.reached(end)) Some(Timing.OnTime)
    else Option.when(session.pending > 0 && (policy.atStepEnd || now.reached(end, lateness)))(Timing.Late)
  }

  def flush(): Unit                         = keys.flush()
  def readDirectory(in: ByteReader): Unit   = keys.readDirectory(in)
  def writeDirectory(out: ByteWriter): Unit = keys.writeDirectory(out)
}
