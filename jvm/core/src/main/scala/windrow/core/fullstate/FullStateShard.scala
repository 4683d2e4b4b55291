package windrow.core.fullstate

import scala.collection.mutable.ArrayBuffer
import windrow._
import windrow.core.operator.Counters
import windrow.core.operator.OperatorShard
import windrow.core.operator.Origin
import windrow.core.operator.RefusalTime
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.EventTime
import windrow.core.time.Progress
import windrow.core.time.StepClock
import windrow.core.time.Watermark
import windrow.core.trigger.Pending
import windrow.core.trigger.PendingPolicy

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
final class FullStateShard(spec: FullStateSpec, store: ShardStore, fixed: FixedSpec = FixedSpec.Nothing)
    extends OperatorShard {
  private val policy    = new DeltaPolicy(spec)
  private val placer    = Placer(spec)
  private val admission = new Admission(store, fixed, spec.lateness, spec.maxFuture)
  private val refusal   = new RefusalTime(spec.window, spec.lateness, spec.retention)
  private val segments  = new Segments("messages", store)
  private val keys      = new KeyBuckets[KeyWindows]("windows", store, new KeyWindowsCodec(segments), deadline)
  private val periods   = new Periods(store)

  /** Of source partitions, at the end of the last step; where windows go by it. */
  private var offsets = Map.empty[(String, Long), Watermark]

  admission.open { in =>
    offsets = Reach.readOffsets(in)
    segments.readDirectory(in)
    keys.readDirectory(in)
    periods.readDirectory(in)
  }

  def counters: Counters                     = admission.counters
  def watermark: Watermark                   = admission.watermark
  def processingDeadline: Option[Long]       = periods.first
  def nextOffsets: Map[(String, Long), Long] = admission.nextOffsets

  private def processingTime: Option[Long] = admission.processingTime

  private var retiredCount = 0L

  /** Messages that retention has taken since this object was made (SEMANTICS R74). */
  def retired: Long = retiredCount

  /** Messages above the stated count, kept for windows that still take messages (SEMANTICS R10). */
  def overRetention: Long =
    spec.retention.messages.fold(0L)(newest => states(None).map(_.messages.size - newest).filter(_ > 0).sum)

  private def reach: Reach = Reach(watermark, offsets)

  /** One step: messages in the order of [[Incoming.order]], then the watermark, judged at a processing time in
    * microseconds.
    *
    * @param watermark
    *   asked for when all messages are taken
    * @param progress
    *   what the step brings to the whole stream, the same for every shard; asked for when all messages are taken
    *
    * The deltas are made as they are taken, those of a message and those of a key at the end of the step together, and the
    * state is written when the last one is: take them all.
    */
  def step(
      messages: Iterator[Incoming],
      watermark: => Watermark,
      now: Option[Long],
      progress: => Seq[Progress] = Nil): Iterator[Delta] = {
    val isFirstP = admission.begin(now)
    val clock    = StepClock(admission.watermark, processingTime)
    val before   = reach
    val ofMessages = messages.flatMap { message =>
      if (placer.isByPosition) message.origin.foreach(see)
      counted(apply(message, clock, before, _))
    }
    ofMessages ++ {
      val brought = progress
      admission.tell(brought)
      if (placer.isByPosition) brought.foreach(one => see(Origin(one.source, one.partition, one.last)))
      admission.watermark = clock.before.max(watermark)
      stepEnd(before, isFirstP)
    } ++ flush()
  }

  private def counted(make: ArrayBuffer[Delta] => Unit): Iterator[Delta] = {
    val out = new ArrayBuffer[Delta]
    make(out)
    out.foreach { case Delta.Fire(_) => counters.panes += 1; case _ => counters.rejected += 1 }
    out.iterator
  }

  private def see(origin: Origin): Unit = offsets = reach.seeing(origin).offsets

  // ---- messages

  private def apply(message: Incoming, clock: StepClock, before: Reach, out: ArrayBuffer[Delta]): Unit =
    if (!isReplay(message)) admission.timeOf(message) match {
      case Left(reason) => out += refuse(message, reason)
      case Right(time)  => place(message, time, clock, before, out)
    }

  /** Marks a message that goes no further as applied; false: it was before. The next step writes it. */
  def withhold(message: Incoming): Boolean = !isReplay(message)

  /** The place of a message of a session is the end of its own. */
  private def isReplay(message: Incoming): Boolean = admission.isReplay(
    message.origin,
    for (time <- message.time; lasts <- spec.window.lasts(message.gap)) yield EventTime.plus(time, lasts))

  private def refuse(message: Incoming, reason: Reason): Delta = Delta.Refuse(message, reason, watermark)

  private def place(
      message: Incoming,
      time: Long,
      clock: StepClock,
      before: Reach,
      out: ArrayBuffer[Delta]): Unit = {
    val found = keys.get(message.key)
    val state = if (found == null) new KeyWindows(message.key, segments) else found
    placer.place(state, message, time, before) match {
      case Placement.Broken => out += refuse(message, Reason.InvalidTime)
      case Placement.Gap =>
        counters.gaps += 1
        if (placer.areNumbered) number(state)
      case Placement.TooLate =>
        val isOut = RetentionBound.isOut(spec.retention, clock.before, time)
        out += refuse(message, if (isOut) Reason.OutOfRetention else Reason.TooLate)
      case entered: Placement.Enter =>
        classify(state, message, time)
        counters.accepted += 1
        number(state)
        enter(state, message.stored(time), entered, clock, before, out)
    }
  }

  private def number(state: KeyWindows): Unit = {
    if (placer.areNumbered) state.numbered += 1
    keys.put(state.key, state)
  }

  /** Seen from the key's window with the greatest start (SEMANTICS R5). */
  private def classify(state: KeyWindows, message: Incoming, time: Long): Unit = {
    val position = placer.position(message, time, state)
    val part     = message.origin.map(from => (from.source, from.partition))
    val current =
      if (placer.isByPosition) state.lastRow(_.id.part.forall(part.contains))
      else state.rows.lastOption.map(_._2)
    current match {
      case Some(row) if position < placer.shownStart(row.id, state) => counters.past += 1
      case Some(row) if position >= row.end                         => counters.future += 1
      case _                                                        => counters.inTime += 1
    }
  }

  private def enter(
      state: KeyWindows,
      message: StoredMessage,
      entered: Placement.Enter,
      clock: StepClock,
      before: Reach,
      out: ArrayBuffer[Delta]): Unit = {
    state.messages.add(message.copy(isSettled = entered.first.isDefined))
    state.rows = entered.rows
    entered.found.foreach { case (one, id) =>
      state.messages.settle(one)
      comeOut(state, one, id, clock, before, out)
    }
    entered.first.foreach(comeOut(state, message, _, clock, before, out))
  }

  /** With a window, now or at the end of the step. */
  private def comeOut(
      state: KeyWindows,
      message: StoredMessage,
      id: WindowId,
      clock: StepClock,
      before: Reach,
      out: ArrayBuffer[Delta]): Unit = {
    val row         = state.rows(id).awaiting(message, clock.processingTime)
    val wasComplete = placer.reachedBefore(id, state, before).reached(row.end, placer.delay)
    val completes   = placer.reachOf(message, state).reached(row.end, placer.delay) // and so fires no early pane (R21)
    awaitPeriods(state.key)
    val now =
      if ((wasComplete || !completes) && policy.firesWith(wasComplete, row.firing.unsent))
        fire(state, row, if (wasComplete) Timing.Late else Timing.Early, isLast = false, out)
      else row
    state.rows = state.rows.updated(id, now)
  }

  private def fire(
      state: KeyWindows,
      row: WindowRow,
      timing: Timing,
      isLast: Boolean,
      out: ArrayBuffer[Delta]): WindowRow = {
    val unsent = state.takeUnsent(row)
    out += Delta.Fire(Pane(
      state.key,
      placer.shownStart(row.id, state),
      placer.shownEnd(row.id),
      timing,
      row.firing.index,
      isLast,
      isRetraction = false,
      unsent.sorted(StoredMessage.Order),
      row.id.message.flatMap(_ => unsent.headOption).map(_.payload),
      row.id.part.map { case (source, partition) => SourcePartition(source, partition) }))
    val fired = row.fired(timing)
    if (timing == Timing.Early) fired else fired.copy(firing = fired.firing.copy(isPastOnTime = true))
  }

  // ---- the end of a step

  private def stepEnd(before: Reach, isFirstP: Boolean): Iterator[Delta] = {
    val due =
      if (isFirstP) keys.due(Long.MaxValue)
      else keys.due(if (watermark.isDefined) watermark.micros else Long.MinValue) ++ periods.due(processingTime)
    due.flatMap(key => Option(keys.get(key)).iterator.flatMap(state => counted(endOf(state, before, isFirstP, _)))) ++ {
      periods.forget(processingTime)
      None
    }
  }

  private def endOf(state: KeyWindows, before: Reach, isFirstP: Boolean, out: ArrayBuffer[Delta]): Unit = {
    val was = state.rows
    if (isFirstP && was.valuesIterator.exists(_.firing.unsent > 0)) awaitPeriods(state.key)
    state.rows = was.transform((_, row) => atStepEnd(state, awaitingFrom(row), before, out))
    val retired = retire(state)
    def isChanged = was.size != state.rows.size || was.valuesIterator.zip(state.rows.valuesIterator).exists {
      case (one, now) => one ne now
    }
    if (state.messages.isEmpty && state.rows.isEmpty && state.numbered == 0) keys.remove(state.key)
    else if (retired > 0 || isChanged) keys.put(state.key, state)
  }

  private def awaitPeriods(key: Key): Unit =
    policy.deadlines(processingTime).foreach(periods.await(key, _))

  /** Before the first processing time a period counts from the first that is seen (SEMANTICS R14). */
  private def awaitingFrom(row: WindowRow): WindowRow =
    if (row.firing.unsent == 0 || row.firing.since.isDefined || processingTime.isEmpty) row
    else row.copy(firing = row.firing.copy(since = processingTime))

  private def isComplete(row: WindowRow, state: KeyWindows): Boolean =
    placer.reach(row.id, state, reach).reached(row.end, placer.delay)

  private def isClosed(row: WindowRow, state: KeyWindows): Boolean =
    placer.reach(row.id, state, reach).reached(row.end, EventTime.plus(placer.lateness, placer.delay))

  private def atStepEnd(state: KeyWindows, row: WindowRow, before: Reach, out: ArrayBuffer[Delta]): WindowRow = {
    val complete    = isComplete(row, state)
    val hasLeft     = isClosed(row, state)
    val wasComplete = placer.reachedBefore(row.id, state, before).reached(row.end, placer.delay)
    val owesFirst   = spec.onTime && complete && !row.firing.isPastOnTime
    val fires = row.firing.unsent > 0 &&
      (owesFirst || hasLeft || policy.firesAtStepEnd(complete, row.firing, processingTime))
    val timing =
      if (!complete) Timing.Early
      else if (owesFirst && !wasComplete) Timing.OnTime
      else Timing.Late
    val now = if (fires) fire(state, row, timing, hasLeft, out) else row
    if (complete && !now.firing.isPastOnTime) now.copy(firing = now.firing.copy(isPastOnTime = true)) else now
  }

  private def retire(state: KeyWindows): Long = {
    def isOpen(row: WindowRow) = row.hasEnd && !isClosed(row, state)
    val oldestOpen             = state.rows.valuesIterator.filter(isOpen).map(_.oldest).minOption
    val bound                  = RetentionBound(spec.retention, watermark, oldestOpen.getOrElse(Long.MaxValue))
    val retired                = state.messages.retire(bound.leaves)
    retiredCount += retired
    val oldest = state.messages.oldest
    state.rows = state.rows.filter { case (_, row) =>
      row.firing.unsent > 0 || isOpen(row) ||
      oldest.exists(first => row.newest.exists(StoredMessage.Order.lteq(first, _)))
    }
    retired
  }

  /** When to look at a key again: as a window completes, as it stops taking messages, as its oldest message leaves. What
    * windows go by beside the watermark may bring them any step.
    */
  private def deadline(state: KeyWindows): Long = {
    val windows = state.rows.valuesIterator.map { row =>
      if (isClosed(row, state)) Long.MaxValue
      else if (placer.isByPosition) Long.MinValue
      else if (!isComplete(row, state)) row.end
      else EventTime.plus(row.end, placer.lateness)
    }
    val leaves = for (span <- spec.retention.time; oldest <- state.messages.oldest)
      yield EventTime.plus(EventTime.plus(oldest.time, span.micros), 1)
    (windows ++ leaves).minOption.getOrElse(Long.MaxValue)
  }

  private def flush(): Option[Delta] = {
    keys.flush()
    periods.flush()
    admission.write((_, place) => refusal.hasCome(place, watermark)) { out =>
      reach.writeOffsets(out)
      segments.writeDirectory(out)
      keys.writeDirectory(out)
      periods.writeDirectory(out)
    }
    None
  }

  // ---- queries

  /** Where a replay must begin to rebuild the store: for each source and partition an offset (SEMANTICS R27). */
  def replayOffsets: Map[(String, Long), Long] = admission.replayOffsets(states(None).flatMap { state =>
    state.messages.range(Axis.Time, None, None) ++ state.waiting
  }.flatMap(_.origin))

  /** The windows that will fire if nothing more comes, and how. */
  def pending: Iterator[(WindowMetadata, Pending)] = {
    val coming = new PendingPolicy(spec.window, spec.early, spec.onTime, spec.late, spec.lateness)
    for {
      state <- states(None)
      row   <- state.rows.valuesIterator
      one   <- coming.of(placer.shownEnd(row.id), isComplete(row, state), row.firing, firesEmpty = false)
    } yield (metadata(row, state), one)
  }

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

  /** The windows inside retention that overlap a closed range of their axis, by (start, end, key) (SEMANTICS R23). */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[Key] = None): Vector[WindowMetadata] =
    states(key).flatMap { state =>
      state.rows.valuesIterator.map(metadata(_, state)).zip(state.rows.valuesIterator).collect {
        case (shown, row) if start.forall(_ < row.end) && end.forall(_ >= shown.start) => shown
      }
    }.toVector.sorted(WindowMetadata.Order)

  private def metadata(row: WindowRow, state: KeyWindows): WindowMetadata = WindowMetadata(
    state.key,
    placer.shownStart(row.id, state),
    placer.shownEnd(row.id),
    row.offsets,
    row.count,
    row.last,
    row.firing.index,
    isComplete(row, state),
    row.id.part,
    row.id.message.map(one =>
      state.messages.range(Axis.Time, Some(one.time), Some(one.time))
        .find(StoredMessage.Order.equiv(_, one)).getOrElse(one)))

  private def states(key: Option[Key]): Iterator[KeyWindows] = key match {
    case Some(one) => Option(keys.get(one)).iterator
    case None      => keys.due(Long.MaxValue).map(keys.get)
  }
}

object FullStateShard {

  /** The spaces of its store, for stores that must know them beforehand. */
  val Spaces: Seq[String] = Seq("messages", "windows", "periods", AppliedOffsets.Space)
}
