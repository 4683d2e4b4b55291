package windrow.core.operator
package run

import java.util.{HashMap => JHashMap}
import windrow._
import windrow.core.aggregate.{Aggregation, Cell, KeyRun, RangeSweep, StartOffsets}
import windrow.core.state._
import windrow.core.time.{Due, EventTime, Position, StepClock, Watermark}
import windrow.core.trigger.{FiringRule, PaneState, ProcessingTimer, Stage, WindowTrigger}
import windrow.core.window.{RunWindow, RunWindows}

/** Windows determined by the messages of their key (`Sliding`, `Over`). A key stores its messages, and a record of each
  * window that has fired early or late; everything else is computed when needed.
  */
private[core] final class RunAlgorithm[B, V](
    family: WindowFamily.Run,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    startsOf: Option[B => StartOffsets],
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {

  private val windows    = RunWindows(family)
  private val lateness   = spec.latenessInTime
  private val policy     = new WindowTrigger(spec.early, spec.late)
  private val rule       = new FiringRule(spec.onTime, policy)
  private val panes      = new PaneMaker(spec, aggregation, withdraws = false)
  private val paneStates = new RunPaneStates(windows, spec, aggregation, panes)
  private val segments   = new Segments("runs", store)
  private val keyStates  = new RunKeyStateCodec(aggregation, segments)

  /** Messages and records of each key. A key is removed with its last message. Stored in the checkpoint. */
  private val keys = new KeyBuckets[RunKeyState[B]]("keys", store, keyStates, _.deadline)

  private val periods = new ProcessingTimer(policy)
  private val completion = startsOf.fold[RunCompletion[B]](new RunCompletionByWatermark(windows))(
    new RunCompletionByMessage(windows, aggregation, _, bound))

  /** For each key, the lowest and the highest position of this step's messages; empty between steps. */
  private val touched = new JHashMap[Key, (Long, Long)]

  /** For each key, the least end of windows that messages of this step completed without a pane; empty between steps.
    */
  private val unseen = new JHashMap[Key, Long]

  private val isOver = spec.window.isOfMessage
  private val isOrdered = family match {
    case _: WindowFamily.MessageWindowsByCount => true
    case _: WindowFamily.DistinctSets | _: WindowFamily.MessageWindowsByTime |
        WindowFamily.MessageWindowsFromFirst => false
  }
  private val waits     = policy.waitsForStepEnd(isComplete = false) || policy.waitsForStepEnd(isComplete = true)
  private val byMessage = policy.looksAtMessages(isComplete = false) || policy.looksAtMessages(isComplete = true)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  private def isClosed(window: RunWindow, at: Watermark): Boolean = at.reached(window.end, lateness)

  // ---- messages

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val position = windows.position(entry.time.get)
    if (clock.before.reached(windows.lastEnd(position), lateness))
      out.put(Effect.Reject(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val keyState = Option(keys.get(entry.key)).getOrElse(keyStates.empty)
      counters.accepted += entry.count
      val stamp = keyState.nextStamp()
      val mark  = completion.mark(keyState, clock.before)
      val index = keyState.run.insert(cell(entry, position, stamp, mark, clock))
      completion.inserted(keyState, index, isClosed(_, clock.before))
      keyState.deadline = Due.AtOnce
      keys.put(entry.key, keyState)
      awaitPeriods(clock)
      if (waits)
        touched.merge(entry.key, (position, position), (a, b) => (math.min(a._1, b._1), math.max(a._2, b._2)))
      val fires = changed(keyState, index, mark, clock)
        .map[Part[Effect[B, V]]](window => afterMessage(entry.key, keyState, window, index, stamp, clock, _))
      def completes = completion.completedBy(keyState, position, entry.origin, clock.before).iterator
        .map[Part[Effect[B, V]]](found => completed(entry.key, keyState, found, _))
      if (fires.hasNext) out.andThen(fires ++ completes) else out.andThen(completes)
    }
  }

  private def cell(entry: Entry[B], position: Long, stamp: Long, mark: Watermark, clock: StepClock): Cell[B] = new Cell(
    position,
    if (isOrdered) entry.origin.fold(Cell.Nothing)(_.order) else Cell.Nothing,
    stamp,
    if (mark.isDefined && mark.micros > position) mark.micros else Cell.NotLate,
    if (policy.hasPeriods) clock.processingTime else None,
    entry.count,
    entry.buffer,
    if (isOver) entry.raw else Cell.Nothing)

  private def awaitPeriods(clock: StepClock): Unit = if (policy.hasPeriods) {
    val one = PaneState[B](unsent = 1, since = clock.processingTime)
    Seq(false, true).foreach(isComplete => periods.add(isComplete, one))
  }

  /** Windows that may fire for a message: all that it changes, or only those that are complete when it creates them. */
  private def changed(keyState: RunKeyState[B], index: Int, mark: Watermark, clock: StepClock): Iterator[RunWindow] = {
    val position = keyState.run(index).position
    val found =
      if (byMessage) windows.reached(keyState.run, position, position)
      else if (spec.onTime && mark.reached(Position.plus(position, 1))) windows.made(keyState.run, index)
      else Iterator.empty
    found.filterNot(isClosed(_, clock.before))
  }

  private def afterMessage(
      key: Key,
      keyState: RunKeyState[B],
      window: RunWindow,
      index: Int,
      stamp: Long,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val isInside = window.from <= index && index < window.until
    if (isInside || windows.maker(keyState.run, window).stamp == stamp) {
      val isComplete = completion.isComplete(keyState, window, clock.before)
      val found      = paneStates(keyState, window, isComplete)
      rule.withMessage(isComplete, found.isNew, completion.isCompletedInside(keyState, window), found.paneState.unsent)
        .foreach(fire(key, keyState, window, found, _, isLast = false, out))
    }
  }

  /** Fires a window that a message has completed. */
  private def completed(
      key: Key,
      keyState: RunKeyState[B],
      found: CompletedWindow[B],
      out: Out[Effect[B, V]]): Unit =
    if (spec.onTime) onTime(key, keyState, found.window, found.value, found.hasWaited, isLast = false, out)
    else {
      unseen.merge(key, found.window.end, math.min(_, _))
      ()
    }

  private def fire(
      key: Key,
      keyState: RunKeyState[B],
      window: RunWindow,
      found: RunPaneState[B],
      timing: Timing,
      isLast: Boolean,
      out: Out[Effect[B, V]]): Unit = {
    val kept = panes.fire(
      idOf(key, keyState, window),
      found.paneState,
      timing,
      isLast,
      keyState.run.value(window.from, window.until),
      if (found.start == window.start) out else out.taking(begunAt(found.start, _)))
    val isShown = kept.index != found.paneState.index
    keyState.records.put(
      window.id,
      RunRecord(if (isShown) window.start else found.start, window.end, keyState.accepted, kept))
    ()
  }

  /** A retraction repeats the start that its window had when the pane was fired. */
  private def begunAt(start: Long, effect: Effect[B, V]): Effect[B, V] = effect match {
    case Effect.Fire(pane) if pane.isRetraction => Effect.Fire(pane.copy(start = start))
    case other                                  => other
  }

  private def idOf(key: Key, keyState: RunKeyState[B], window: RunWindow): WindowId =
    WindowId(key, window.bounds, Option.when(isOver)(keyState.run(window.owner).raw))

  // ---- the end of a step

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    if (paneStates.firstTime.isEmpty) paneStates.firstTime = clock.processingTime
    val moved = now != clock.before
    val isDue = periods.takeReached(clock.processingTime)
    (if (isDue) keys.walkAll else keys.walk(now.at)).filter(key =>
      isDue || now.reached(keys.get(key).deadline) || isChanged(keys.get(key))).flatMap {
      key =>
        val keyState = keys.get(key)
        (if (moved && spec.onTime) onTimePanes(key, keyState, clock.before, now) else Iterator.empty) ++
          stepEnd(key, keyState, clock, now, isDue, completesUnseen = moved && !spec.onTime) ++
          (if (moved) lastPanes(key, keyState, clock.before, now) else Iterator.empty) ++
          Part.silent(leave(key, keyState, now))
    } ++ Part.silent {
      touched.clear()
      unseen.clear()
    }
  }

  /** Fires every window that the watermark completes, in chunks that are swept together, because a key can have
    * millions.
    */
  private def onTimePanes(
      key: Key,
      keyState: RunKeyState[B],
      before: Watermark,
      now: Watermark): Iterator[Part[Effect[B, V]]] =
    completion.completedAtEnd(keyState, before, now).grouped(RunAlgorithm.AtOnce).flatMap { found =>
      val ranges = found.map { case (window, _) => (window.from, window.until) }.toIndexedSeq
      val values = new RangeSweep(keyState.run, aggregation).apply(ranges)
      found.iterator.zip(values).map[Part[Effect[B, V]]] { case ((window, hasWaited), value) =>
        onTime(key, keyState, window, value, hasWaited, isClosed(window, now), _)
      }
    }

  /** Whether a message has arrived in this step. */
  private def isChanged(keyState: RunKeyState[B]): Boolean = keyState.deadline == Due.AtOnce

  /** Fires the on-time pane of a window.
    *
    * @param hasWaited
    *   whether its end was reached before without completing it; a record must then show that it has fired
    */
  private def onTime(
      key: Key,
      keyState: RunKeyState[B],
      window: RunWindow,
      value: B,
      hasWaited: Boolean,
      isLast: Boolean,
      out: Out[Effect[B, V]]): Unit =
    if (hasWaited || keyState.records.containsKey(window.id))
      fire(key, keyState, window, paneStates(keyState, window, isComplete = false), Timing.OnTime, isLast, out)
    else {
      if (panes.storesShown && !isLast) keyState.shown.put(window.end, value, RunPaneStates.stamp(window))
      out.put(panes.first(idOf(key, keyState, window), Timing.OnTime, isLast, value))
    }

  /** Checks windows at the end of the step, by the watermark and the processing time after it. */
  private def stepEnd(
      key: Key,
      keyState: RunKeyState[B],
      clock: StepClock,
      now: Watermark,
      isDue: Boolean,
      completesUnseen: Boolean): Iterator[Part[Effect[B, V]]] = {
    val complete = math.max(completion.mark(keyState, now).micros, bound(now))
    // If incomplete windows cannot fire, they are not even checked, because there can be many.
    def mayFireByEnd(all: Iterator[RunWindow]) =
      if (policy.mayFireAtStepEnd(isComplete = false)) all else all.takeWhile(_.end <= complete)
    val found =
      if (isDue) mayFireByEnd(windows.endingFrom(keyState.run, openFrom(now)))
      else Option(touched.get(key)).iterator.flatMap { case (low, high) =>
        mayFireByEnd(windows.reached(keyState.run, low, high))
      } ++
        (if (completesUnseen) completion.completedAtEnd(keyState, clock.before, now).map(_._1)
         else Iterator.empty) ++
        Option(unseen.get(key)).iterator.flatMap(windows.ending(keyState.run, _, completion.mark(keyState, now).micros))
    val latest = keyState.run.maxJudged
    def mayFire(window: RunWindow, isComplete: Boolean) =
      policy.mayFireAtStepEnd(isComplete) && (!isComplete || paneStates.mayHaveUnsent(keyState, window, latest))
    found.filterNot(isClosed(_, clock.before)).map(window => (window, completion.isComplete(keyState, window, now)))
      .filter { case (window, isComplete) => mayFire(window, isComplete) }
      .map[Part[Effect[B, V]]] { case (window, isComplete) =>
        endStep(key, keyState, window, Stage(isComplete, isClosed(window, now)), clock, _)
      }
  }

  private def endStep(
      key: Key,
      keyState: RunKeyState[B],
      window: RunWindow,
      stage: Stage,
      clock: StepClock,
      out: Out[Effect[B, V]]): Unit = {
    val found = paneStates(keyState, window, stage.isComplete)
    rule.atStepEnd(stage, completes = false, found.paneState, clock.processingTime, isTouched = true) match {
      case Some(timing) => fire(key, keyState, window, found, timing, stage.isClosed, out)
      case None         => periods.add(stage.isComplete, found.paneState)
    }
  }

  /** The least end of a window that is not closed. */
  private def openFrom(now: Watermark): Long = Position.plus(bound(now), 1)

  /** The end up to which all windows are closed. */
  private def bound(at: Watermark): Long =
    if (at.isEnd) EventTime.Max else at.leaves(lateness)

  /** Fires the messages that are still unsent when a window's lateness ends (SEMANTICS R80). */
  private def lastPanes(
      key: Key,
      keyState: RunKeyState[B],
      before: Watermark,
      now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val latest = keyState.run.maxJudged
    val most   = paneStates.mostUnsent(keyState, latest)
    windows.ending(keyState.run, openFrom(before), math.min(bound(now), most))
      .filter(paneStates.mayHaveUnsent(keyState, _, latest))
      .map[Part[Effect[B, V]]] { window => out =>
        val found = paneStates(keyState, window, isComplete = true)
        rule.atStepEnd(Stage.Closed, completes = false, found.paneState, now = None, isTouched = true)
          .foreach(fire(key, keyState, window, found, _, isLast = true, out))
      }
  }

  private def leave(key: Key, keyState: RunKeyState[B], now: Watermark): Unit = {
    val closed = bound(now)
    if (closed != EventTime.Min) {
      keyState.records.values.removeIf(_.end <= closed)
      keyState.shown.dropBelow(Position.plus(closed, 1))
      keyState.run.dropFirst(windows.firstNeeded(keyState.run, closed))
      if (family == WindowFamily.MessageWindowsFromFirst) foldClosed(keyState.run, closed)
      keyState.completion.close(closed)
    }
    if (keyState.run.isEmpty && !keyState.completion.reached.isDefined) keys.remove(key)
    else {
      keyState.deadline = nextDeadline(keyState, now)
      keys.put(key, keyState)
    }
  }

  /** Folds messages whose windows are closed into one cell, except messages that an open window has not shown yet. */
  private def foldClosed(run: KeyRun[B], closed: Long): Unit = {
    val open   = run.indexOf(closed)
    val oldest = run.minStamp(open)
    run.fold(run.cells(0, open).takeWhile(_.stamp < oldest).size)
  }

  private def nextDeadline(keyState: RunKeyState[B], now: Watermark): Long = {
    val run       = keyState.run
    val completes = windows.endingFrom(run, Position.plus(now.micros, 1)).map(_.end).nextOption()
    val closes    = windows.endingFrom(run, openFrom(now)).map(_.end).nextOption()
    val leaves    = windows.nextUnneeded(run) ++ Option.when(run.isEmpty)(keyState.completion.reached.micros)
    (completes ++ (closes ++ leaves).map(lateness.after)).minOption.getOrElse(Due.Never)
  }

  // ---- state

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walkAll.flatMap { key =>
    val keyState = keys.get(key)
    windows.endingFrom(keyState.run, openFrom(at)).map { window =>
      val isComplete = completion.isComplete(keyState, window, at)
      OpenWindow(
        key,
        window.bounds,
        isComplete,
        paneStates(keyState, window, isComplete).paneState,
        keyState.run.value(window.from, window.until))
    }
  }

  protected def parts: Seq[StatePart] = Seq(segments, keys, periods, paneStates)
}

private object RunAlgorithm {

  /** Number of windows that are swept together. */
  val AtOnce = 4096
}
