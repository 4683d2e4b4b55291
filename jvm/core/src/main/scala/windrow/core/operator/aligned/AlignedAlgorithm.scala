package windrow.core.operator
package aligned

import windrow._
import windrow.core.aggregate.{Aggregation, Sweep}
import windrow.core.grid.SliceGrid
import windrow.core.operator.gaps.GapWindows
import windrow.core.state._
import windrow.core.time.{Axis, EventTime, StepClock, Watermark}
import windrow.core.trigger.{FiringRule, PaneState, PaneStateCodec, ProcessingTimer, Stage, WindowTrigger}

/** Windows with the same bounds for every key. Each message is stored once, in its slice; the value of a window is
  * computed from its slices when it fires.
  *
  * A window needs no record if it only fires its pane on time: it fires once if one of its slices contains the key. If
  * this pane must be withdrawn later, it is computed again. If that could change its last digit, the window has a
  * record from its pane on (SEMANTICS R90).
  */
private[core] final class AlignedAlgorithm[B, V](
    grid: SliceGrid[Axis.Time],
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {
  import AlignedAlgorithm._

  private val lateness = spec.latenessInTime
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val rule     = new FiringRule(spec.onTime, policy)
  private val panes    = new PaneMaker(spec, aggregation, withdraws = false)

  /** Whether windows have a record from their first message on, not only from their first late one. */
  private val recordsAll = spec.early != Never || !spec.onTime

  /** All messages by slice. Slices that no open window contains are removed. Stored in the checkpoint. */
  private val slices = new GridSlices(grid, aggregation, store, settles = panes.storesShown && !recordsAll)

  /** Whether windows get a record with their pane on time, because computing it again could give different bits. */
  private val recordsShown = panes.storesShown && !Sweep.combinesInOrder(grid.slicesPerWindow)

  /** Pane states of windows by start and key, for windows that have one; removed when the window closes. Stored in the
    * checkpoint.
    */
  private val records = new SortedRun("panes", store, new PaneStateCodec(aggregation))

  /** The records of windows with one start; null if there are none. */
  private type Records = KeyMap[PaneState[B]]

  private val touched = new TouchedWindows

  private val periods = new ProcessingTimer(policy)

  /** The slice of the last message. */
  private val slice = new SlicePlace(grid)

  /** Windows without messages, if the spec requests them. Stored in the checkpoint. */
  private val gaps = GapWindows.of(grid, spec, store)

  private val gapPanes =
    gaps.map(new GapPanes(grid, spec, aggregation, panes, slices, records, _, whole(_, _, aggregation.zero), store))

  /** Values of earlier messages with which windows begin, if the aggregation carries them. Stored in the checkpoint. */
  private val carried =
    aggregation.carrier.map(new CarriedValues(grid, lateness, aggregation, _, slices, store))

  /** Messages for incomplete windows, if these are processed only when the step ends. */
  private val arrivals = Option.when(recordsAll && !policy.looksAtMessages(isComplete = false))(
    new StepArrivals(grid, aggregation, adds = spec.accumulation == Discarding))

  /** Whether incomplete windows have a record and process each message at once. */
  private val recordsAtOnce = recordsAll && arrivals.isEmpty

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = math.max(gaps.fold(0L)(_.keyCount), carried.fold(0L)(_.keyCount))

  /** The value of a window of which the messages have this value. */
  private def whole(key: Key, start: Long, own: B): B = carried.fold(own)(_.into(key, start, own))

  private def whole(key: Key, start: Long): B = whole(key, start, slices.value(key, start))

  /** The value that a complete window had before this step, of which the messages have this value. */
  private def wholeBefore(key: Key, start: Long, own: B): B = carried.fold(own)(_.intoBefore(key, start, own))

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val time = entry.time.get
    slice.goTo(time)
    if (slice.isInGap) counters.gaps += entry.count
    else if (clock.before.reached(slice.lastEnd, lateness) || Refusal.isForgotten(spec, time, clock.before))
      out.put(Effect.Reject(entry, Refusal.late(spec, time, clock.before), clock.before))
    else {
      counters.accepted += entry.count
      if (recordsAtOnce || clock.before.reached(slice.firstEnd)) record(entry, clock, out) else keep(entry, clock)
    }
  }

  private def keep(entry: Entry[B], clock: StepClock): Unit = {
    arrivals.foreach(_.add(entry.key, slice.start, entry.count, entry.buffer))
    carried.foreach(_.add(entry.key, slice.start, isLate = clock.before.reached(slice.firstEnd)))
    slices.insert(slice.start, entry.key, entry.buffer)
    gaps.foreach(_.add(entry.key, entry.time.get, clock.before))
  }

  /** Applies a message that some windows must react to immediately. */
  private def record(entry: Entry[B], clock: StepClock, out: Out[Effect[B, V]]): Unit = {
    val open = windowsToRecord(entry.time.get, clock.before).map(start =>
      (start, recordOf(start, entry.key, records.peek(start), clock.before)))
    keep(entry, clock)
    open.foreach { case (start, record) => update(start, entry, record, clock, out) }
  }

  /** Windows at a time that still accept messages, have records and process messages at once. */
  private def windowsToRecord(time: Long, before: Watermark): Seq[Long] =
    Iterator.iterate(grid.firstStart(time))(grid.next)
      .takeWhile(start => start <= time && (recordsAtOnce || before.reached(grid.end(start))))
      .filterNot(start => before.reached(grid.end(start), lateness)).toSeq

  /** The pane state of a window; None if it is new. */
  private def recordOf(start: Long, key: Key, records: Records, before: Watermark): Option[PaneState[B]] = {
    val found = kept(key, records)
    if (found.isDefined) found
    else if (!recordsAll && slices.hasContent(key, start))
      Some(panes.firedOnTime(wholeBefore(key, start, slices.value(key, start))))
    else Option.when(spec.onTime && gaps.exists(_.isFilled(key, start, before)))(
      panes.firedOnTime(wholeBefore(key, start, aggregation.zero)))
  }

  private def kept(key: Key, records: Records): Option[PaneState[B]] =
    if (records == null) None else Option(records.get(key))

  /** The pane state of a window with messages, if all windows have records. */
  private def keptSurely(start: Long, key: Key, records: Records): PaneState[B] = kept(key, records).getOrElse(
    throw new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.PANES", "start" -> start)))

  private def idOf(start: Long, key: Key): WindowId = WindowId(key, grid.bounds(start))

  /** Updates a window for a message. A new window that is already complete fires at once (SEMANTICS R79). */
  private def update(
      start: Long,
      entry: Entry[B],
      record: Option[PaneState[B]],
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val isComplete = clock.before.reached(grid.end(start))
    val now        = panes.add(record.getOrElse(PaneState()), entry, clock.processingTime)
    fireOrRest(start, entry.key, now, isComplete, isNew = record.isEmpty, out)
  }

  private def fireOrRest(
      start: Long,
      key: Key,
      record: PaneState[B],
      isComplete: Boolean,
      isNew: Boolean,
      out: Out[Effect[B, V]]): Unit =
    rule.withMessage(isComplete, isNew, completes = false, record.unsent) match {
      case Some(timing) => fire(start, key, record, timing, isLast = false, whole(key, start), out)
      case None         => rest(start, key, record, isComplete)
    }

  /** Records a window that fires nothing before the step ends. */
  private def rest(start: Long, key: Key, record: PaneState[B], isComplete: Boolean): Unit = {
    if (policy.waitsForStepEnd(true) || policy.waitsForStepEnd(isComplete)) touched.add(start, key)
    keep(start, key, record, isComplete)
  }

  private def keep(start: Long, key: Key, record: PaneState[B], isComplete: Boolean): Unit = {
    periods.add(isComplete, record)
    records.at(start).put(key, record)
    ()
  }

  private def fire(
      start: Long,
      key: Key,
      record: PaneState[B],
      timing: Timing,
      isLast: Boolean,
      whole: => B,
      out: Out[Effect[B, V]]): Unit = {
    records.at(start).put(key, panes.fire(idOf(start, key), record, timing, isLast, whole, out))
    ()
  }

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val moved = now != clock.before
    Part.later(updateCarried(clock)) ++
      Part.silent(addArrivals(clock)) ++
      (if (moved && spec.onTime) Part.later(onTimePanes(clock.before, now)) else Iterator.empty) ++
      gapPanes.iterator.flatMap(_.fire(clock.before, now)) ++
      Part.silent(touchDue(clock, now, moved)) ++
      Part.later(endStep(clock, now)) ++
      Part.silent(leave(clock.before, now))
  }

  /** Updates complete windows that carry another value because of a late message, as if they had received one. */
  private def updateCarried(clock: StepClock): Iterator[Part[Effect[B, V]]] = carried.iterator.flatMap { values =>
    val found = values.changed(slices.firstIncomplete(clock.before))((key, from) =>
      gaps.filter(_ => spec.onTime).iterator.flatMap(_.filled(key, from, clock.before)))
    Part.each(found) { case ((key, start), out) =>
      val record = recordOf(start, key, records.peek(start), clock.before).getOrElse(PaneState[B]())
      val now    = panes.add(record, 1, aggregation.zero, clock.processingTime)
      fireOrRest(start, key, now, isComplete = true, isNew = false, out)
    }
  }

  private def addArrivals(clock: StepClock): Unit =
    arrivals.foreach(_.takeFrom(slices.firstIncomplete(clock.before)) { (start, arrived) =>
      val known = records.at(start)
      arrived.foreach { case (key, some) =>
        val record = recordOf(start, key, known, clock.before).getOrElse(PaneState[B]())
        rest(start, key, panes.add(record, some.count, some.buffer.get, clock.processingTime), isComplete = false)
      }
    })

  private def onTimePanes(before: Watermark, now: Watermark): Iterator[Part[Effect[B, V]]] =
    Part.each[(Long, Iterator[(Key, B)]), Effect[B, V]](slices.completed(before, now)) {
      case ((start, values), windows) =>
        val bounds = grid.bounds(start)
        val isLast = now.reached(bounds.end, lateness)
        val known  = if (recordsAll) records.peek(start) else null
        windows.andThen(Part.each[(Key, B), Effect[B, V]](values) { case ((key, buffer), out) =>
          val value = whole(key, start, buffer)
          if (recordsAll) fire(start, key, keptSurely(start, key, known), Timing.OnTime, isLast, value, out)
          else if (recordsShown && !isLast) fire(start, key, PaneState(), Timing.OnTime, isLast, value, out)
          else out.put(panes.first(WindowId(key, bounds), Timing.OnTime, isLast, value))
        })
    }

  /** Finds windows to check at the end of the step, in addition to those that messages touched. */
  private def touchDue(clock: StepClock, now: Watermark, moved: Boolean): Unit = {
    // A window that completes without a pane continues with the late trigger, which may emit unsent messages at once.
    val isReleased = moved && !spec.onTime && (policy.hasPeriods || policy.waitsForStepEnd(isComplete = true))
    val isDue      = periods.takeReached(clock.processingTime)
    if (isDue) touchUnsent(EventTime.Min)(_ => true)
    else {
      if (isReleased) touchUnsent(slices.firstIncomplete(clock.before))(start => now.reached(grid.end(start)))
      if (moved)
        touchUnsent(EventTime.Min)(start => now.reached(grid.end(start), lateness)) // they close (SEMANTICS R80)
    }
  }

  /** Marks windows with unsent messages, from a start on as long as `isLookedAt` holds. */
  private def touchUnsent(first: Long)(isLookedAt: Long => Boolean): Unit =
    Iterator.unfold(first)(from => records.ceiling(from).map(start => (start, start + 1))).takeWhile(isLookedAt)
      .foreach { start =>
        val known = records.peek(start)
        (0 until known.size).foreach(i => if (known.valueAt(i).unsent > 0) touched.add(start, known.keyAt(i)))
      }

  /** Checks the touched windows at the end of the step, by the watermark and the processing time after it. */
  private def endStep(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] =
    if (touched.isEmpty) Iterator.empty
    else if (!panes.showWhole || slices.sizeAtMost(touched.starts) <= touched.size * Few) endByWindow(clock, now)
    else endByKey(clock, now)

  /** For windows of which most keys fire: one sweep computes the values of all keys. */
  private def endByWindow(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val sweep = slices.sweep
    Part.each(touched.byStart) { case ((start, keys), out) =>
      lazy val values = sweep.to(start)
      val known       = records.peek(start)
      out.andThen(Part.each[Key, Effect[B, V]](keys)((key, out) =>
        due(start, key, known, clock, now).foreach(
          _.fire(Option(values.valueOf(key)).getOrElse(aggregation.zero), out))))
    }
  }

  /** For windows of which few keys fire: computes the values of each key separately. */
  private def endByKey(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] =
    Part.each(touched.byKey) { case ((key, starts), out) =>
      val fires  = starts.flatMap(start => due(start, key, records.peek(start), clock, now))
      val values = slices.values(key, fires.map(_.start))
      fires.foreach(_.fire(values.next(), out))
    }

  /** Decides whether a window fires at the end of the step; stores it if it does not. */
  private def due(start: Long, key: Key, records: Records, clock: StepClock, now: Watermark): Option[DueWindow] =
    kept(key, records).flatMap { found =>
      val end    = grid.end(start)
      val stage  = Stage(now.reached(end), now.reached(end, lateness))
      val record = found.begun(clock.processingTime)
      val timing = rule.atStepEnd(stage, completes = false, record, clock.processingTime, isTouched = true)
      if (timing.isEmpty && record.unsent > 0) keep(start, key, record, stage.isComplete)
      timing.map(new DueWindow(start, key, record, _, stage.isClosed))
    }

  /** A window that fires at the end of the step. */
  private final class DueWindow(val start: Long, key: Key, record: PaneState[B], timing: Timing, isLast: Boolean) {
    def fire(own: => B, out: Out[Effect[B, V]]): Unit =
      AlignedAlgorithm.this.fire(start, key, record, timing, isLast, whole(key, start, own), out)
  }

  private def leave(before: Watermark, now: Watermark): Unit = {
    touched.clear()
    gapPanes.foreach(_.leave(before, now))
    val left = now.leaves(lateness)
    if (!now.isEnd) carried.foreach(_.leave(if (left == EventTime.Min) left else grid.firstStart(left), now))
    if (now.isEnd) drop(EventTime.Max)
    else if (left != EventTime.Min) drop(grid.firstStart(left))
  }

  private def drop(open: Long): Unit = {
    slices.dropBelow(open)
    records.dropBelow(open)
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = {
    val found = slices.windows.filterNot { case (_, start) => at.reached(grid.end(start), lateness) }
    (found ++ gaps.iterator.flatMap(_.open(at))).distinct.map { case (key, start) => window(key, start, at) }
  }

  private def window(key: Key, start: Long, at: Watermark): OpenWindow[B] = {
    val isComplete = at.reached(grid.end(start))
    def value      = whole(key, start)
    def paneState = kept(key, records.peek(start))
      .getOrElse(if (isComplete && spec.onTime) panes.firedOnTime(value) else PaneState[B]())
    OpenWindow(key, grid.bounds(start), isComplete, paneState, value)
  }

  override def openCount(before: Option[Long]): Option[Long] = if (recordsAll) records.size else slices.count

  protected def parts: Seq[StatePart] = Seq(slices, records) ++ gapPanes ++ carried :+ periods
}

private object AlignedAlgorithm {

  /** A sweep over all keys is used up to this number of stored values for each window and key to be checked. */
  private val Few = 2
}
