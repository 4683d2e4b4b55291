package windrow.core.operator
package partitioned

import windrow._
import windrow.core.aggregate.{Aggregation, StartOffsets}
import windrow.core.grid.PositionGrid
import windrow.core.operator.keyed.{
  GridKeyState, GridKeyStateCodec, GridPanes, GridWindows, NextRowWindows, PassedWindows
}
import windrow.core.state._
import windrow.core.time.{Axis, Distance, Front, Offset, StepClock}
import windrow.core.trigger.{ProcessingTimer, WindowTrigger}

/** Windows of a fixed number of offsets of a partition. A window is complete for all keys when the partition has passed
  * its last offset.
  */
private[core] final class OffsetWindows[B, V](
    windows: WindowFamily.OffsetGrid,
    start: Long,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    startsOf: Option[B => StartOffsets],
    store: Spaces)
    extends PartitionWindows[B, V]
    with StateParts {
  private val lateness = spec.latenessInOffsets
  private val policy   = new WindowTrigger(spec.early, spec.late)
  private val periods  = new ProcessingTimer(policy)
  private val grid     = new PositionGrid[Axis.Offset](windows.n, windows.step, start)
  private val panes    = new GridPanes(grid, spec, aggregation, policy, periods)

  /** The lateness in offsets. If messages of the key complete windows, a message past the end is one offset further
    * than the last one inside.
    */
  private val closing = if (startsOf.isDefined) lateness + Distance.one else lateness
  private val keyStates: GridWindows[Axis.Offset, B, V] =
    startsOf.fold[GridWindows[Axis.Offset, B, V]](new PassedWindows(panes, closing))(
      new NextRowWindows(panes, closing, closesComplete = false, _))
  private val segments = new Segments("runs", store)
  private val codec    = new GridKeyStateCodec[Axis.Offset, B](aggregation, segments)

  /** Messages and records of each key, by slice. A key is removed with its last window. Stored in the checkpoint. */
  private val keys = new KeyBuckets[GridKeyState[Axis.Offset, B]]("keys", store, codec, _.deadline)

  def processingDeadline: Option[Long] = periods.next
  def keyCount: Long                   = keys.size

  def add(
      entry: Entry[B],
      offset: Offset,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters,
      out: Out[Effect[B, V]]): Unit =
    if (grid.inGap(offset.value)) counters.gaps += entry.count
    else if (progress.before.reached(grid.end(grid.lastStart(offset.value)), closing))
      out.put(Effect.Reject(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val keyState = Option(keys.get(entry.key)).getOrElse(codec.empty)
      counters.accepted += entry.count
      keyState.change()
      keys.put(entry.key, keyState)
      keyStates.add(
        entry.key,
        keyState,
        offset,
        entry,
        progress.before,
        progress.before.max(Front.past(offset)),
        clock,
        out)
    }

  def advance(progress: PartitionProgress, now: Front[Axis.Offset], clock: StepClock): Iterator[Part[Effect[B, V]]] = {
    val moved = now != progress.before
    val isDue = periods.takeReached(clock.processingTime)
    (if (isDue) keys.walkAll else if (moved) keys.walk(now.at) else keys.walkChanged)
      .filter(key => isDue || keys.get(key).isChanged || now.reached(keys.get(key).deadline))
      .flatMap { key =>
        val keyState = keys.get(key)
        keyStates.endStep(key, keyState, progress.before, now, progress.coming(_, now), clock) ++
          Part.silent(if (keyState.isEmpty) keys.remove(key) else keys.put(key, keyState))
      }
  }

  def openWindows(at: Front[Axis.Offset]): Iterator[OpenWindow[B]] = keys.walkAll.flatMap { key =>
    val keyState = keys.get(key)
    keyStates.open(keyState, at).map(start =>
      panes.window(key, keyState, start, keyStates.isComplete(keyState, start, at)))
  }

  protected def parts: Seq[StatePart] = Seq(segments, keys, periods)
}
