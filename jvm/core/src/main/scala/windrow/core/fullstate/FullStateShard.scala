package windrow.core.fullstate

import windrow._
import windrow.core.offsets.{AppliedOffsets, Progress}
import windrow.core.operator.{Origin, Out, Part, RefusalTime}
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.{Axis, Bounds, Due, EventTime, Front, Position, StepClock, Watermark}
import windrow.core.trigger.{PendingFiring, PendingPolicy, Stage}
import windrow.core.window.LastEnd

/** Keeps the messages and windows of all keys of a shard and answers queries (the full-state window operator).
  *
  * @param store
  *   where the shard is stored between two objects that run it; written at the end of each step
  * @param fingerprint
  *   properties of the query that must not change while the state exists
  * @param pageBytes
  *   size in bytes of the pages in which a key's windows are read and written
  */
final class FullStateShard(
    spec: FullStateSpec,
    store: ShardStore,
    fingerprint: SpecFingerprint = SpecFingerprint.Nothing,
    pageBytes: Int = 4096,
    guards: Guards = Guards.Default)
    extends ShardFrame[FullStateEffect](
      new Admission(store, fingerprint, spec.latenessInTime, spec.maxFuture),
      guards,
      spec.window.toString) {
  private val policy   = new DeltaPolicy(spec)
  private val assigner = WindowAssigners.of(spec)
  private val lastEnd  = LastEnd.of(spec.window)
  private val rowValue = spec.window.rowValue
  private val bounds   = spec.window.bounds
  private val refusal  = new RefusalTime(spec.window, spec.latenessInTime, spec.retention)
  private val segments = new Segments("messages", store)
  private val life     = new RowLife(assigner, policy, reach)
  private val codec    = new KeyWindowsCodec(segments, life, pageBytes)

  /** Messages and windows of each key. A key is removed when it has neither. Stored in the checkpoint. */
  private val keys = new KeyBuckets[KeyWindows]("windows", store, codec, deadline)

  /** When keys have a window whose period ends; removed after the end. Stored in the checkpoint. */
  private val periods = new Periods(store)

  private val settings = new DueSettings(s"${spec.retention.inWords} ${policy.periods}")

  /** The progress of source partitions, for windows on offsets. It never decreases. Stored in the checkpoint. */
  private var offsets = Map.empty[SourcePartition, Front[Axis.Offset]]

  open()

  protected def parts: Seq[StatePart]  = Seq(OffsetPart, segments, keys, periods, settings)
  def processingDeadline: Option[Long] = periods.first

  private object OffsetPart extends StatePart {
    def readDirectory(in: ByteReader): Unit   = offsets = AxisProgress.readOffsets(in)
    def writeDirectory(out: ByteWriter): Unit = reach.writeOffsets(out)
  }

  override def rests(watermark: Watermark, processingTime: Long): Boolean =
    !settings.changed && super.rests(watermark, processingTime)

  private def processingTime: Option[Long] = admission.processingTime

  private var retiredCount = 0L

  /** Number of messages that retention has removed since this object was created (SEMANTICS R74). */
  def retired: Long = retiredCount

  /** Number of messages kept beyond the configured count, because windows that still accept messages need them
    * (SEMANTICS R10).
    */
  def overRetention: Long =
    spec.retention.messages.fold(0L)(newest => states(None).map(_.messages.size - newest).filter(_ > 0).sum)

  private def reach: AxisProgress = AxisProgress(watermark, offsets)

  /** Runs one step: messages in the order of [[Incoming.order]], then the watermark, judged at a processing time in
    * microseconds. The step runs while its effects are consumed and writes its state after the last one, so the caller
    * must consume all of them.
    *
    * @param watermark
    *   evaluated after the last message
    * @param progress
    *   offsets that the step brings to the stream, the same for every shard; evaluated after the last message
    */
  def step(
      messages: Iterator[Incoming],
      watermark: => Watermark,
      now: Option[Long],
      progress: => Seq[Progress] = Nil): Iterator[FullStateEffect] = {
    val isFirstP = admission.begin(now)
    val clock    = StepClock(admission.watermark, processingTime)
    val before   = reach
    val applied  = messages.map[Part[FullStateEffect]](message => apply(message, clock, before, _))
    stepOf(
      applied ++
        Part.silent(move(progress, clock.before.max(watermark))) ++
        stepEnd(before, isFirstP || settings.changed) ++
        Part.silent(settings.allVisited()))
  }

  /** Applies the watermark and the progress of the step after its last message. */
  private def move(brought: Seq[Progress], now: Watermark): Unit = {
    admission.recordProgress(brought)
    if (assigner.pace == Pace.ByOffsets) brought.foreach(one => see(Origin(one.of, one.last)))
    admission.watermark = now
  }

  protected def count(effect: FullStateEffect): Unit = effect match {
    case FullStateEffect.Fire(pane) => countPane(pane.timing == Timing.OnTime)
    case _                          => counters.rejected += 1
  }

  private def see(origin: Origin): Unit = offsets = reach.seeing(origin).offsets

  // ---- messages

  private def apply(message: Incoming, clock: StepClock, before: AxisProgress, out: Out[FullStateEffect]): Unit = {
    if (assigner.pace == Pace.ByOffsets) message.origin.foreach(see)
    if (markApplied(message)) admission.timeOf(message) match {
      case Left(reason) => out.put(refuse(message, reason))
      case Right(time) =>
        val ends = endOf(message, time).getOrElse(time)
        admission.lateness.see(ends, count = 1, watermark, lastEnd)
        place(message, time, clock, before, out)
    }
  }

  /** Marks the offset of a withheld message as applied; returns false if it already was. The next step writes it. */
  def withhold(message: Incoming): Boolean = markApplied(message)

  /** Whether a message is a duplicate. In a session, the place of a message is the end of its own gap. */
  private def markApplied(message: Incoming): Boolean =
    admission.markApplied(message.origin, message.time.flatMap(endOf(message, _)))

  private def endOf(message: Incoming, time: Long): Option[Long] =
    rowValue.of(message.value).map(value => Position.plus(time, rowValue.lasts(value)))

  private def refuse(message: Incoming, reason: Reason): FullStateEffect =
    FullStateEffect.Reject(message, reason, watermark)

  private def place(
      message: Incoming,
      time: Long,
      clock: StepClock,
      before: AxisProgress,
      out: Out[FullStateEffect]): Unit = {
    val found = keys.get(message.key)
    val state = if (found == null) codec.empty(message.key) else found
    assigner.place(state, message, time, before) match {
      case Assignment.Broken => out.put(refuse(message, Reason.InvalidTime))
      case Assignment.Gap =>
        counters.gaps += 1
        if (assigner.pace == Pace.ByNumbers) number(state, message)
      case Assignment.TooLate =>
        val isOut = RetentionBound.isOut(spec.retention, clock.before, time)
        out.put(refuse(message, if (isOut) Reason.OutOfRetention else Reason.TooLate))
      case entered: Assignment.Acceptance =>
        counters.accepted += 1
        number(state, message)
        enter(state, message.stored(time), entered, clock, before, out)
    }
  }

  private def number(state: KeyWindows, message: Incoming): Unit = {
    if (assigner.pace == Pace.ByNumbers) state.numbered += rowValue.of(message.value).getOrElse(0L)
    keys.put(state.key, state)
    checkKeys(keys.size)
  }

  private def enter(
      state: KeyWindows,
      message: StoredMessage,
      entered: Assignment.Acceptance,
      clock: StepClock,
      before: AxisProgress,
      out: Out[FullStateEffect]): Unit = {
    state.messages.add(message.copy(isSettled = entered.first.isDefined))
    entered.replaced.foreach(state.rows.remove)
    entered.put.foreach(state.rows.put)
    entered.found.foreach { case (one, id) =>
      state.messages.settle(one)
      comeOut(state, one, id, clock, before, out)
    }
    entered.first.foreach(comeOut(state, message, _, clock, before, out))
  }

  /** Adds a message to a pane of a window, which fires now or at the end of the step. */
  private def comeOut(
      state: KeyWindows,
      message: StoredMessage,
      id: WindowId,
      clock: StepClock,
      before: AxisProgress,
      out: Out[FullStateEffect]): Unit = {
    val row         = state.rows.get(id).get.awaiting(message, clock.processingTime)
    val wasComplete = assigner.reachedBefore(id.partition, state, before).reached(row.end, assigner.delay)
    val completes   = !wasComplete && assigner.reachOf(message, state).reached(row.end, assigner.delay)
    val timing      = policy.withMessage(wasComplete, completes, row.paneState.unsent)
    state.rows.put(timing.fold(row)(fire(state, row, _, isLast = false, out)))
  }

  private def fire(
      state: KeyWindows,
      row: WindowRow,
      timing: Timing,
      isLast: Boolean,
      out: Out[FullStateEffect]): WindowRow = {
    val unsent = state.takeUnsent(row)
    out.put(FullStateEffect.Fire(Pane(
      state.key,
      assigner.shownStart(row.id, state),
      bounds.shownEnd(row.bounds),
      timing,
      row.paneState.index,
      isLast,
      isRetraction = false,
      unsent.sorted(StoredMessage.Order),
      row.id.message.flatMap(_ => unsent.headOption).map(_.payload),
      row.id.partition)))
    val fired = row.fired(timing)
    if (timing == Timing.Early) fired else fired.copy(paneState = fired.paneState.copy(isPastOnTime = true))
  }

  // ---- the end of a step

  /** @param looksAtAll
    *   at the first processing time, or if the recorded deadlines of keys may be outdated
    */
  private def stepEnd(before: AxisProgress, looksAtAll: Boolean): Iterator[Part[FullStateEffect]] = {
    val due =
      if (looksAtAll) keys.all
      else keys.due(watermark.at) ++ periods.due(processingTime)
    due.map[Part[FullStateEffect]](key => out => Option(keys.get(key)).foreach(endOf(_, before, looksAtAll, out))) ++
      Part.silent(periods.forget(processingTime))
  }

  private def endOf(state: KeyWindows, before: AxisProgress, looksAtAll: Boolean, out: Out[FullStateEffect]): Unit = {
    val due = state.rows.due(looksAtAll || life.isDue(_, state, processingTime))
    due.foreach { row =>
      val now = atStepEnd(state, row.begun(processingTime), before, out)
      if (now ne row) state.rows.put(now)
    }
    val retired = retire(state)
    state.rows.pageSummaries.map(_.period).minOption.filter(_ != Due.Never).foreach(periods.await(state.key, _))
    if (state.isEmpty) keys.remove(state.key)
    else if (looksAtAll || retired > 0 || state.rows.isChanged || due.exists(closes(_, state, before)))
      keys.put(state.key, state)
  }

  /** Whether a window closes in this step; then its bucket needs a new deadline. */
  private def closes(row: WindowRow, state: KeyWindows, before: AxisProgress): Boolean = life.isClosed(row, state) &&
    !assigner.reachedBefore(row.id.partition, state, before).reached(row.end, assigner.lateness + assigner.delay)

  private def atStepEnd(
      state: KeyWindows,
      row: WindowRow,
      before: AxisProgress,
      out: Out[FullStateEffect]): WindowRow = {
    val stage       = Stage(life.isComplete(row, state), life.isClosed(row, state))
    val wasComplete = assigner.reachedBefore(row.id.partition, state, before).reached(row.end, assigner.delay)
    val timing      = policy.atStepEnd(stage, wasComplete, row.paneState, processingTime)
    val now         = timing.fold(row)(fire(state, row, _, stage.isClosed, out))
    val passed =
      if (stage.isComplete && !now.paneState.isPastOnTime) now.copy(paneState = now.paneState.copy(isPastOnTime = true))
      else now
    if (stage.isClosed && !passed.isCounted) assigner.counted(passed, state) else passed
  }

  /** Applies retention. Closed windows are removed with the newest of their messages. */
  private def retire(state: KeyWindows): Long = {
    val oldestOpen = state.rows.pageSummaries.map(_.oldest).minOption.getOrElse(EventTime.Max)
    val bound      = RetentionBound(spec.retention, watermark, oldestOpen)
    val retired    = state.messages.retire(bound.leaves)
    retiredCount += retired
    lazy val oldest                = state.messages.oldest
    def hasLeft(page: PageSummary) = page.newest.exists(newest => oldest.forall(StoredMessage.Order.lt(newest, _)))
    state.rows.due(hasLeft).filter(row => hasLeft(life.outlook(row, state))).foreach(state.rows.remove)
    retired
  }

  /** When a key is next due: when a window completes or closes, or its oldest message is removed. */
  private def deadline(state: KeyWindows): Long = {
    val leaves = state.messages.oldestTime.map(spec.retention.isOutFrom)
    math.min(life.deadline(state), leaves.getOrElse(Due.Never))
  }

  protected def isPast(source: String, place: Long): Boolean = refusal.isReached(place, watermark)

  override protected def openCount(before: Option[Long]): Option[Long] =
    if (keys.size == 0) Some(0L) else before.map(_ + segments.grown)

  // ---- queries

  /** The first offset to read again for each source partition to rebuild the store (SEMANTICS R27). */
  def restartOffsets: Map[SourcePartition, Long] = admission.restartOffsets(states(None).flatMap { state =>
    state.messages.range(Axis.Time, None, None) ++ state.waiting
  }.flatMap(_.origin))

  /** The windows that will fire without further messages, with their firings. */
  def pending: Iterator[(WindowMetadata, PendingFiring)] = {
    val coming = new PendingPolicy(spec.window, spec.early, spec.onTime, spec.late, spec.latenessInTime)
    for {
      state <- states(None)
      row   <- state.rows.all
      one   <- coming.of(row.bounds, life.isComplete(row, state), row.paneState, firesEmpty = false)
    } yield (metadata(row, state), one)
  }

  /** The messages in a closed range of event time (microseconds) or offsets, inside retention, in order of (time,
    * source, partition, offset) or of offset. A bound of None is open (SEMANTICS R24).
    *
    * @param key
    *   None for all keys
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

  /** The windows inside retention that overlap a closed range of their axis, ordered by (start, end, key)
    * (SEMANTICS R23).
    */
  def getWindows(start: Option[Long], end: Option[Long], key: Option[Key] = None): Vector[WindowMetadata] =
    states(key).flatMap { state =>
      state.rows.all.map(row => (metadata(row, state), row)).collect {
        case (shown, row) if Bounds(shown.start, row.end).meets(start, end) => shown
      }
    }.toVector.sorted(WindowMetadata.Order)

  private def metadata(row: WindowRow, state: KeyWindows): WindowMetadata = {
    val counted = if (row.isCounted) row else assigner.counted(row, state)
    WindowMetadata(
      state.key,
      assigner.shownStart(row.id, state),
      bounds.shownEnd(row.bounds),
      counted.offsets,
      counted.count,
      row.last,
      row.paneState.index,
      life.isComplete(row, state),
      row.id.partition,
      row.id.message.map(one =>
        state.messages.range(Axis.Time, Some(one.time), Some(one.time))
          .find(StoredMessage.Order.equiv(_, one)).getOrElse(one)))
  }

  private def states(key: Option[Key]): Iterator[KeyWindows] = key match {
    case Some(one) => Option(keys.get(one)).iterator
    case None      => keys.all.map(keys.get)
  }
}

object FullStateShard {

  /** Names of all spaces that it uses, for stores that must know them in advance. */
  val Spaces: Seq[String] = Seq("messages", "windows", "periods", AppliedOffsets.Space)
}
