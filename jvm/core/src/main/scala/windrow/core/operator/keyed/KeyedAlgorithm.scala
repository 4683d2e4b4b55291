package windrow.core.operator
package keyed

import windrow._
import windrow.core.aggregate.{Aggregation, StartOffsets}
import windrow.core.grid.SliceGrid
import windrow.core.operator.gaps.{EndedGaps, GapWindows}
import windrow.core.state._
import windrow.core.time.{Axis, EventTime, StepClock, Watermark}
import windrow.core.trigger.{ProcessingTimer, WindowTrigger}

/** Aligned windows that the messages of their own key complete (SEMANTICS R7), so each key has its own progress. */
private[core] final class KeyedAlgorithm[B, V](
    grid: SliceGrid[Axis.Time],
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    startsOf: B => StartOffsets,
    store: Spaces)
    extends WindowAlgorithm[B, V]
    with StateParts {
  private val lateness = spec.latenessInTime
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val periods  = new ProcessingTimer(policy)
  private val panes    = new GridPanes(grid, spec, aggregation, policy, periods)
  private val gaps     = GapWindows.of(grid, spec, store)
  private val windows  = new NextRowWindows(panes, lateness, closesComplete = false, startsOf, gaps)
  private val segments = new Segments("runs", store)
  private val codec    = new GridKeyStateCodec[Axis.Time, B](aggregation, segments)

  /** Messages and records of each key, by slice. A key is removed with its last window. Stored in the checkpoint. */
  private val keys = new KeyBuckets[GridKeyState[Axis.Time, B]]("keys", store, codec, _.deadline)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = math.max(keys.size, gaps.fold(0L)(_.keyCount))

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    val time = entry.time.get
    if (grid.inGap(time)) counters.gaps += entry.count
    else if (clock.before.reached(grid.end(grid.lastStart(time)), lateness))
      out.put(Effect.Reject(entry, Refusal.late(spec, time, clock.before), clock.before))
    else {
      val keyState = stateOf(entry.key)
      counters.accepted += entry.count
      gaps.foreach(_.add(entry.key, time, clock.before))
      keyState.change()
      keys.put(entry.key, keyState)
      windows.add(entry.key, keyState, new EventTime(time), entry, clock.before, clock.before, clock, out)
    }
  }

  private def stateOf(key: Key): GridKeyState[Axis.Time, B] = Option(keys.get(key)).getOrElse(codec.empty)

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val moved = now != clock.before
    val isDue = periods.takeReached(clock.processingTime)
    Part.later(gaps.iterator.flatMap(_.fill(clock.before, now)(endGaps(_, _, now)))) ++
      Part.later(endKeys(clock, now, isDue, moved))
  }

  private def endKeys(clock: StepClock, now: Watermark, isDue: Boolean, moved: Boolean): Iterator[Part[Effect[B, V]]] =
    (if (isDue) keys.walkAll else if (moved) keys.walk(now.at) else keys.walkChanged)
      .filter(key => isDue || keys.get(key).isChanged || now.reached(keys.get(key).deadline))
      .flatMap { key =>
        val keyState = keys.get(key)
        windows.endStep(key, keyState, clock.before, now, _ => now, clock) ++
          Part.silent(if (keyState.isEmpty) keys.remove(key) else keys.put(key, keyState))
      }

  /** Ends the gap windows of a key. Those that fire late get a record. */
  private def endGaps(key: Key, ended: EndedGaps, now: Watermark): Iterator[Part[Effect[B, V]]] = {
    val keyState = stateOf(key)
    windows.endGaps(key, keyState, ended, now) ++
      Part.silent(if (ended.late.nonEmpty && !keyState.isEmpty) keys.put(key, keyState))
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = {
    val found = keys.walkAll.flatMap(key => windows.open(keys.get(key), at).map((key, _)))
    (found ++ gaps.iterator.flatMap(_.open(at))).distinct.map { case (key, start) =>
      val keyState = stateOf(key)
      panes.window(key, keyState, start, windows.isComplete(keyState, start, at))
    }
  }

  protected def parts: Seq[StatePart] = Seq(segments, keys) ++ gaps :+ periods
}
