package windrow.core.operator

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.state._
import windrow.core.window.PositionGrid

/** Windows of every few offsets of a partition; complete for all keys when the partition has passed their last one. */
private[operator] final class OffsetWindows[B, V](
    windows: Offsets,
    start: Long,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: ShardStore,
    classes: Boolean)
    extends PartitionWindows[B, V] {
  private val lateness = spec.lateness.micros // here in positions
  private val policy   = new FiringPolicy(spec.early, spec.late)
  private val periods  = new Deadline(policy)
  private val grid     = new PositionGrid(windows.n, windows.step, start)
  private val lanes    = new GridWindows(grid, lateness, spec, aggregation, policy, periods)
  private val segments = new RunSegments("runs", store)
  private val codec    = new GridLaneCodec(aggregation, segments)
  private val keys     = new KeyBuckets[GridLane[B]]("keys", store, codec, _.deadline)

  def processingDeadline: Option[Long] = periods.next

  def add(
      entry: Entry[B],
      offset: Long,
      progress: PartitionProgress,
      clock: StepClock,
      counters: Counters): Iterator[Effect[B, V]] =
    if (grid.inGap(offset)) {
      counters.gaps += entry.count
      Iterator.empty
    } else if (progress.before.reached(grid.end(grid.lastAt(offset)), lateness))
      Iterator.single(Effect.Refuse(entry, Refusal.late(spec, entry.time.get, clock.before), clock.before))
    else {
      val lane = Option(keys.get(entry.key)).getOrElse(codec.empty)
      counters.accepted += entry.count
      if (classes) classify(lane, offset, progress, counters)
      lane.change()
      keys.put(entry.key, lane)
      lanes.add(entry.key, lane, offset, entry, progress.before, clock)
    }

  private def classify(lane: GridLane[B], offset: Long, progress: PartitionProgress, counters: Counters): Unit =
    lanes.current(lane, progress.upTo(offset)) match {
      case Some(first) if offset < first            => counters.past += 1
      case Some(first) if offset >= grid.end(first) => counters.future += 1
      case _                                        => counters.inTime += 1
    }

  def advance(progress: PartitionProgress, now: Watermark, clock: StepClock): Iterator[Effect[B, V]] = {
    val moved = now != progress.before
    val isDue = periods.isReached(clock.processingTime) || (policy.hasPeriods && moved && !spec.onTime)
    if (isDue) periods.clear()
    val horizon = if (isDue) Long.MaxValue else if (moved) now.micros else Long.MinValue
    keys.due(horizon)
      .filter(key => isDue || keys.get(key).isChanged || now.reached(keys.get(key).deadline))
      .flatMap { key =>
        val lane = keys.get(key)
        lanes.endStep(key, lane, progress.before, now, progress.coming(_, now), clock) ++ {
          if (lane.run.isEmpty) keys.remove(key) else keys.put(key, lane)
          Iterator.empty
        }
      }
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
