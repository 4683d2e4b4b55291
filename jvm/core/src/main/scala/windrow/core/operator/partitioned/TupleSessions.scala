package windrow.core.operator
package partitioned

import windrow._
import windrow.core.aggregate.{Aggregation, OwnedCodec}
import windrow.core.state._
import windrow.core.time.{Axis, Bounds, Front, Offset, Position, StepClock}
import windrow.core.trigger.{FiringRule, PaneState, PaneStateCodec, ProcessingTimer, Stage, WindowTrigger}

/** The only session of a key in a partition that can still grow.
  *
  * @param buffer
  *   buffer of all its messages
  */
private[core] final case class TupleSessionState[B](first: Long, last: Long, buffer: B, paneState: PaneState[B]) {

  def bounds: Bounds = Bounds.to(first, last)

  /** The progress of the partition at which the session is complete, because no later message of the key joins it. */
  def end(n: Long): Long = Position.plus(last, Position.plus(n, 2))
}

private[core] final class TupleSessionCodec[B](aggregation: Aggregation[B, _]) extends Codec[TupleSessionState[B]] {
  private val paneStates = new PaneStateCodec(aggregation)
  private val owned      = new OwnedCodec(aggregation)

  def write(session: TupleSessionState[B], out: ByteWriter): Unit = {
    out.long(session.first)
    out.long(session.last)
    owned.write(session.buffer, out)
    paneStates.write(session.paneState, out)
  }

  def read(in: ByteReader): TupleSessionState[B] =
    TupleSessionState(in.long(), in.long(), aggregation.read(in), paneStates.read(in))
}

/** Sessions by offset: a key's session ends when more than `n` offsets of the partition pass without the key. It only
  * grows at its end, and a session that grows replaces the previous one (SEMANTICS R18).
  */
private[core] final class TupleSessions[B, V](
    n: Long,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces)
    extends PartitionWindows[B, V]
    with StateParts {
  private type Session = TupleSessionState[B]

  private val policy = new WindowTrigger(spec.early, spec.late)
  private val rule   = new FiringRule(spec.onTime, policy)
  private val panes  = new PaneMaker(spec, aggregation, withdraws = true)

  private val periods = new ProcessingTimer(policy)

  /** The open session of each key, removed when it is complete. Stored in the checkpoint. */
  private val keys = new KeyBuckets[Session]("sessions", store, new TupleSessionCodec(aggregation), _.end(n))

  /** Whether sessions with new messages may fire at the end of the step. */
  private val waits = policy.waitsForStepEnd(isComplete = false)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  def add(
      entry: Entry[B],
      offset: Offset,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters,
      out: Out[Effect[B, V]]): Unit =
    if (progress.before.reached(offset.next.value))
      out.put(Effect.Reject(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val open = Option(keys.get(entry.key))
      counters.accepted += entry.count
      open match {
        case Some(session) if offset.value < session.end(n) => extend(entry, offset, session, clock, out)
        case _ =>
          open.foreach(endStep(entry.key, _, Stage.Closed, clock, out))
          put(entry, TupleSessionState(offset.value, offset.value, entry.buffer, added(PaneState(), entry, clock)), out)
      }
    }

  private def added(paneState: PaneState[B], entry: Entry[B], clock: StepClock): PaneState[B] =
    panes.add(paneState, entry, clock.processingTime)

  private def extend(
      entry: Entry[B],
      offset: Offset,
      session: Session,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    panes.withdraw(idOf(entry.key, session), session.paneState, out)
    put(
      entry,
      TupleSessionState(
        session.first,
        offset.value,
        aggregation.combine(session.buffer, entry.buffer),
        added(panes.merged(Seq(session.paneState)), entry, clock)),
      out)
  }

  private def put(entry: Entry[B], session: Session, out: Out[Effect[B, V]]): Unit = {
    val timing = rule.withMessage(isComplete = false, isNew = true, completes = false, session.paneState.unsent)
    keep(entry.key, fire(entry.key, session, timing, isLast = false, out))
  }

  private def keep(key: Key, session: Session): Unit = {
    periods.add(isComplete = false, session.paneState)
    keys.put(key, session)
  }

  private def fire(
      key: Key,
      session: Session,
      timing: Option[Timing],
      isLast: Boolean,
      out: Out[Effect[B, V]]): Session =
    timing.fold(session)(timing =>
      session.copy(paneState =
        panes.fire(idOf(key, session), session.paneState, timing, isLast, session.buffer, out)))

  private def idOf(key: Key, session: Session) = WindowId(key, session.bounds)

  def advance(progress: PartitionProgress, now: Front[Axis.Offset], clock: StepClock): Iterator[Part[Effect[B, V]]] = {
    val isDue = periods.takeReached(clock.processingTime)
    val moved = now != progress.before
    if (!moved && !isDue && !waits) Iterator.empty
    else
      (if (isDue) keys.walkAll else if (moved) keys.walk(now.at) else keys.walkChanged).map[Part[Effect[B, V]]] { key =>
        val session = keys.get(key)
        endStep(key, session, if (now.reached(session.end(n))) Stage.Closed else Stage.Open, clock, _)
      }
  }

  /** Fires and stores a session at the end of a step. A complete session is removed, because no message is late for it.
    */
  private def endStep(
      key: Key,
      session: Session,
      stage: Stage,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val begun  = session.paneState.begun(clock.processingTime)
    val timing = rule.atStepEnd(stage, completes = stage.isComplete, begun, clock.processingTime, begun.isTouched)
    val now    = fire(key, session.copy(paneState = begun), timing, stage.isClosed, out)
    if (stage.isClosed) {
      keys.remove(key)
      aggregation.storage.foreach(_.release(session.buffer))
    } else if (now.paneState eq session.paneState) periods.add(isComplete = false, session.paneState)
    else keep(key, now)
  }

  def openWindows(at: Front[Axis.Offset]): Iterator[OpenWindow[B]] = keys.walkAll.map { key =>
    val one = keys.get(key)
    OpenWindow(key, one.bounds, isComplete = false, one.paneState, one.buffer)
  }

  /** Each key has one session. */
  override def openCount: Option[Long] = Some(keys.size)

  protected def parts: Seq[StatePart] = Seq(keys, periods)
}
