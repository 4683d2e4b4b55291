package windrow.core.operator
package partitioned

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.StartOffsets
import windrow.core.operator.keyed.BeyondWindows
import windrow.core.operator.keyed.GridKeyState
import windrow.core.operator.keyed.GridKeyStateCodec
import windrow.core.operator.keyed.GridPanes
import windrow.core.operator.keyed.GridWindows
import windrow.core.operator.keyed.PassedWindows
import windrow.core.state._
import windrow.core.time.EventTime
import windrow.core.time.StepClock
import windrow.core.time.Watermark
import windrow.core.trigger.ProcessingTimer
import windrow.core.trigger.WindowTrigger
import windrow.core.window.PositionGrid

/** Windows of every few offsets of a partition; complete for all keys when the partition has passed their last one. */
private[core] final class OffsetWindows[B, V](
    windows: Offsets,
    start: Long,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    startsOf: Option[B => StartOffsets],
    store: Spaces,
    classes: Boolean)
    extends PartitionWindows[B, V] {
  private val lateness = spec.lateness.micros // here in positions
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val periods  = new ProcessingTimer(policy)
  private val grid     = new PositionGrid(windows.n, windows.step, start)
  private val panes    = new GridPanes(grid, spec, aggregation, policy, periods)

  /** A message past the end lies one further than the last one inside. */
  private val closing = if (startsOf.isDefined) EventTime.plus(lateness, 1) else lateness
  private val keyStates: GridWindows[B, V] = startsOf.fold[GridWindows[B, V]](new PassedWindows(panes, closing))(
    new BeyondWindows(panes, closing, closesComplete = false, _))
  private val segments = new Segments("runs", store)
  private val codec    = new GridKeyStateCodec(aggregation, segments)

  /** Messages and records of each key, by slice; a key leaves with the last of them. In the checkpoint. */
  private val keys = new KeyBuckets[GridKeyState[B]]("keys", store, codec, _.deadline)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  def add(
      entry: Entry[B],
      offset: Long,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters,
      out: Out[Effect[B, V]]): Unit =
    if (grid.inGap(offset)) counters.gaps += entry.count
    else if (progress.before.reached(grid.end(grid.lastStart(offset)), closing))
      out.put(Effect.Refuse(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val keyState = Option(keys.get(entry.key)).getOrElse(codec.empty)
      counters.accepted += entry.count
      if (classes)
        counters.classify(
          offset,
          keyStates.current(keyState, progress.upTo(offset)).map(first => (first, grid.end(first))))
      keyState.change()
      keys.put(entry.key, keyState)
      keyStates.add(
        entry.key,
        keyState,
        offset,
        entry,
        progress.before,
        progress.before.max(Watermark(offset + 1)),
        clock,
        out)
    }

  def advance(progress: PartitionProgress, now: Watermark, clock: StepClock): Iterator[Part[Effect[B, V]]] = {
    val moved = now != progress.before
    val isDue = periods.isReached(clock.processingTime)
    if (isDue) periods.clear()
    val horizon = if (isDue) Long.MaxValue else if (moved) now.micros else Long.MinValue
    keys.walk(horizon)
      .filter(key => isDue || keys.get(key).isChanged || now.reached(keys.get(key).deadline))
      .flatMap { key =>
        val keyState = keys.get(key)
        keyStates.endStep(key, keyState, progress.before, now, progress.coming(_, now), clock) ++
          Part.silent(if (keyState.isEmpty) keys.remove(key) else keys.put(key, keyState))
      }
  }

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] = keys.walk(Long.MaxValue).flatMap { key =>
    val keyState = keys.get(key)
    keyStates.open(keyState, at).map(start =>
      panes.window(key, keyState, start, keyStates.isComplete(keyState, start, at)))
  }

  def flush(): Unit = keys.flush()

  def readDirectory(in: ByteReader): Unit = {
    segments.readDirectory(in)
    keys.readDirectory(in)
    periods.read(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    segments.writeDirectory(out)
    keys.writeDirectory(out)
    periods.write(out)
  }
}
