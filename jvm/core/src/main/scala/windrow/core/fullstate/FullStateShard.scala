package windrow.core.fullstate

import scala.collection.mutable.ArrayBuffer
import windrow._
import windrow.core.operator.Counters
import windrow.core.operator.StepClock
import windrow.core.operator.Watermark
import windrow.core.state._
import windrow.core.store._

/** What comes out of a full-state shard. */
sealed trait Delta

object Delta {

  /** The messages that came to a window since its last pane, in order of time. */
  final case class Fire(pane: Pane[Key, Vector[StoredMessage]]) extends Delta

  /** @param watermark
    *   the one that the message was judged by
    */
  final case class Refuse(message: Incoming, reason: Reason, watermark: Watermark) extends Delta
}

/** The messages and windows of all keys of a shard, kept and queried (the source's full-state window operator).
  *
  * @param store
  *   where the shard lives between two of its objects; written at the end of each step
  * @param fixed
  *   what may not change while the state lives, in words
  */
final class FullStateShard(spec: FullStateSpec, store: ShardStore, fixed: Seq[String] = Nil) {
  private val lateness = spec.lateness.micros
  private val policy   = new DeltaPolicy(spec)
  private val placer   = Placer(spec.window, lateness)
  private val intake   = new Intake(fixed, spec.maxFuture)
  private val segments = new Segments("messages", store)
  private val keys     = new KeyBuckets[KeyWindows]("windows", store, new KeyWindowsCodec(segments), deadline)
  private val periods  = new Periods(store)

  intake.open(store) { in =>
    segments.readDirectory(in)
    keys.readDirectory(in)
    periods.readDirectory(in)
  }

  def counters: Counters = intake.counters

  /** The watermark of the last step. */
  def watermark: Watermark = intake.watermark

  private def processingTime: Option[Long] = intake.processingTime

  private var retiredCount = 0L

  /** Messages that retention has taken since this object was made (SEMANTICS R74). */
  def retired: Long = retiredCount

  /** Messages above the stated count, kept for windows that still take messages (SEMANTICS R10). */
  def overRetention: Long =
    spec.retention.messages.fold(0L)(newest => states(None).map(_.messages.size - newest).filter(_ > 0).sum)

  /** One step: messages in [[Incoming.Order]], then the watermark, judged at a processing time in microseconds. */
  def step(messages: Iterator[Incoming], watermark: Watermark, now: Option[Long]): Seq[Delta] = {
    val isFirstP = intake.begin(now)
    val clock    = StepClock(intake.watermark, processingTime)
    val out      = new ArrayBuffer[Delta]
    messages.foreach(apply(_, clock, out))
    intake.watermark = clock.before.max(watermark)
    stepEnd(clock, isFirstP, out)
    flush()
    out.foreach { case Delta.Fire(_) => counters.panes += 1; case _ => counters.rejected += 1 }
    out.toSeq
  }

  // ---- messages

  private def apply(message: Incoming, clock: StepClock, out: ArrayBuffer[Delta]): Unit =
    if (!intake.isReplay(message.origin)) intake.timeOf(message) match {
      case Left(reason) => out += refuse(message, reason)
      case Right(time)  => place(message, time, clock, out)
    }

  /** Marks a message that goes no further as applied; false: it was before. The next step writes it. */
  def withhold(message: Incoming): Boolean = !intake.isReplay(message.origin)

  private def refuse(message: Incoming, reason: Reason): Delta = Delta.Refuse(message, reason, watermark)

  private def place(message: Incoming, time: Long, clock: StepClock, out: ArrayBuffer[Delta]): Unit = {
    val found = keys.get(message.key)
    val state = if (found == null) new KeyWindows(message.key, segments) else found
    placer.place(state.rows, message, time, clock.before) match {
      case Placement.Broken => out += refuse(message, Reason.InvalidTime)
      case Placement.Gap    => counters.gaps += 1
      case Placement.TooLate =>
        val isOut = RetentionBound.isOut(spec.retention, clock.before, time)
        out += refuse(message, if (isOut) Reason.OutOfRetention else Reason.TooLate)
      case entered: Placement.Enter =>
        classify(state, time)
        counters.accepted += 1
        enter(state, message, time, entered, clock, out)
        keys.put(message.key, state)
    }
  }

  /** Seen from the key's window with the greatest start (SEMANTICS R5). */
  private def classify(state: KeyWindows, time: Long): Unit = state.rows.lastOption match {
    case Some(current) if time < current.start => counters.past += 1
    case Some(current) if time >= current.end  => counters.future += 1
    case _                                     => counters.inTime += 1
  }

  private def enter(
      state: KeyWindows,
      message: Incoming,
      time: Long,
      entered: Placement.Enter,
      clock: StepClock,
      out: ArrayBuffer[Delta]): Unit = {
    val stored = message.stored(time)
    state.messages.add(stored)
    val row        = entered.rows(entered.first).awaiting(stored, clock.processingTime)
    val isComplete = clock.before.reached(row.end)
    awaitPeriods(message.key)
    val now =
      if (policy.firesWith(isComplete, row.firing.unsent))
        fire(message.key, row, if (isComplete) Timing.Late else Timing.Early, isLast = false, out)
      else row
    state.rows = entered.rows.updated(entered.first, now)
  }

  private def fire(key: Key, row: WindowRow, timing: Timing, isLast: Boolean, out: ArrayBuffer[Delta]): WindowRow = {
    val messages = row.firing.delta.getOrElse(Vector.empty).sorted(StoredMessage.Order)
    out += Delta.Fire(
      Pane(key, row.start, row.end, timing, row.firing.index, isLast, isRetraction = false, messages))
    val fired = row.fired(timing)
    if (timing == Timing.Early) fired else fired.copy(firing = fired.firing.copy(isPastOnTime = true))
  }

  // ---- the end of a step

  private def stepEnd(clock: StepClock, isFirstP: Boolean, out: ArrayBuffer[Delta]): Unit = {
    val due =
      if (isFirstP) keys.due(Long.MaxValue)
      else keys.due(if (watermark.isDefined) watermark.micros else Long.MinValue) ++ periods.due(processingTime)
    due.toVector.distinct.foreach { key =>
      val state = keys.get(key)
      if (state != null) {
        val was = state.rows
        if (isFirstP && was.exists(_.firing.unsent > 0)) awaitPeriods(key)
        state.rows = was.map(row => atStepEnd(key, awaitingFrom(row), clock, out))
        val retired = retire(state)
        if (state.messages.isEmpty && state.rows.isEmpty) keys.remove(key)
        else if (retired > 0 || state.rows != was) keys.put(key, state)
      }
    }
    periods.forget(processingTime)
  }

  private def awaitPeriods(key: Key): Unit =
    policy.deadlines(processingTime).foreach(periods.await(key, _))

  /** Before the first processing time a period counts from the first that is seen (SEMANTICS R14). */
  private def awaitingFrom(row: WindowRow): WindowRow =
    if (row.firing.unsent == 0 || row.firing.since.isDefined || processingTime.isEmpty) row
    else row.copy(firing = row.firing.copy(since = processingTime))

  private def atStepEnd(key: Key, row: WindowRow, clock: StepClock, out: ArrayBuffer[Delta]): WindowRow = {
    val isComplete = watermark.reached(row.end)
    val hasLeft    = watermark.reached(row.end, lateness)
    val owesFirst  = spec.onTime && isComplete && !row.firing.isPastOnTime
    val fires = row.firing.unsent > 0 &&
      (owesFirst || hasLeft || policy.firesAtStepEnd(isComplete, row.firing, processingTime))
    val timing =
      if (!isComplete) Timing.Early
      else if (owesFirst && !clock.before.reached(row.end)) Timing.OnTime
      else Timing.Late
    val now = if (fires) fire(key, row, timing, hasLeft, out) else row
    if (isComplete) now.copy(firing = now.firing.copy(isPastOnTime = true)) else now
  }

  private def retire(state: KeyWindows): Long = {
    val open    = state.rows.filter(row => row.hasEnd && !watermark.reached(row.end, lateness))
    val bound   = RetentionBound(spec.retention, watermark, open.map(_.start).minOption.getOrElse(Long.MaxValue))
    val retired = state.messages.retire(bound.leaves)
    retiredCount += retired
    val oldest = state.messages.oldest
    state.rows = state.rows.filter(row =>
      row.firing.unsent > 0 || open.contains(row) ||
        oldest.exists(first => row.newest.exists(StoredMessage.Order.lteq(first, _))))
    retired
  }

  /** When to look at a key again: as a window completes, as it stops taking messages, as its oldest message leaves. */
  private def deadline(state: KeyWindows): Long = {
    val windows = state.rows.map(row =>
      if (!watermark.reached(row.end)) row.end
      else if (!watermark.reached(row.end, lateness)) Placer.plus(row.end, lateness)
      else Long.MaxValue)
    val leaves = for (span <- spec.retention.time; oldest <- state.messages.oldest)
      yield Placer.plus(Placer.plus(oldest.time, span.micros), 1)
    (windows ++ leaves).minOption.getOrElse(Long.MaxValue)
  }

  private def flush(): Unit = {
    keys.flush()
    periods.flush()
    intake.write(store) { out =>
      segments.writeDirectory(out)
      keys.writeDirectory(out)
      periods.writeDirectory(out)
    }
  }

  // ---- queries

  /** Where a replay must begin to rebuild the store: for each source and partition an offset (SEMANTICS R27). */
  def replayOffsets: Map[(String, Long), Long] = intake.replayOffsets(states(None).flatMap { state =>
    state.messages.range(Axis.Time, None, None) ++ state.rows.iterator.flatMap(_.firing.delta.iterator.flatten)
  }.flatMap(_.origin))

  /** The messages in a closed range of event time (microseconds) or offsets, inside retention, in order of (time,
    * source, partition, offset) or of offset; None: open (SEMANTICS R24).
    *
    * @param key
    *   None: of all keys
    */
  def getMessages(
      start: Option[Long],
      end: Option[Long],
      key: Option[Key] = None,
      axis: Axis = Axis.Time): Vector[StoredMessage] =
    states(key).flatMap(_.messages.range(axis, start, end)).toVector.sorted(axis match {
      case Axis.Time   => StoredMessage.Order
      case Axis.Offset => StoredMessage.OffsetOrder
    })

  /** The windows inside retention that overlap a closed range of event time, by (start, end, key) (SEMANTICS R23). */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[Key] = None): Vector[WindowMetadata] =
    states(key).flatMap(state =>
      state.rows.filter(row => start.forall(_ < row.end) && end.forall(_ >= row.start))
        .map(WindowMetadata.of(state.key, _))).toVector
      .sorted(WindowMetadata.Order)

  private def states(key: Option[Key]): Iterator[KeyWindows] = key match {
    case Some(one) => Option(keys.get(one)).iterator
    case None      => keys.due(Long.MaxValue).map(keys.get)
  }
}
