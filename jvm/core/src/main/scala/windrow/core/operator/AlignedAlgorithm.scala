package windrow.core.operator

import java.util.{HashSet => JHashSet}
import java.util.{TreeMap => JTreeMap}
import scala.jdk.CollectionConverters._
import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.aggregate.Sweep
import windrow.core.state._
import windrow.core.window.SliceGrid

/** Tumbling and hopping windows: messages are kept once, by slice; the value of a window is made when it fires.
  *
  * A window that no late message has touched has no record: it is on time once, if a slice of it has the key.
  */
private[operator] final class AlignedAlgorithm[B, V](
    windows: AlignedWindows,
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    store: ShardStore,
    classes: Boolean)
    extends WindowAlgorithm[B, V] {

  private val grid     = SliceGrid(windows)
  private val lateness = spec.lateness.micros
  private val policy   = new LatePolicy(spec.late)
  private val slices   = new SortedRun("slices", store, aggregation)
  private val records  = new SortedRun("panes", store, PaneRecord)
  private val touched  = new JTreeMap[Long, JHashSet[Key]]

  def add(entry: Entry[B], clock: StepClock, counters: Counters): Iterator[Effect[B, V]] = {
    val before = clock.before
    val time   = entry.time.get
    if (grid.inGap(time)) {
      counters.gaps += entry.count
      Iterator.empty
    } else if (before.reached(grid.end(grid.lastStart(time)), lateness))
      Iterator.single(Effect.Refuse(entry, Reason.TooLate, before))
    else {
      counters.accepted += entry.count
      if (classes) classify(entry.key, time, counters)
      val complete = completeWindows(time, before).map(start => (start, recordOf(start, entry.key)))
      insert(grid.sliceStart(time), entry)
      if (complete.isEmpty) Iterator.empty
      else complete.iterator.flatMap { case (start, record) => update(start, entry, record) }
    }
  }

  private def classify(key: Key, time: Long, counters: Counters): Unit =
    slices.descending.find(position => slices.peek(position).containsKey(key)).map(grid.lastStart) match {
      case Some(start) if time < start            => counters.past += 1
      case Some(start) if time >= grid.end(start) => counters.future += 1
      case _                                      => counters.inTime += 1
    }

  /** Windows of a time that are complete and still take messages. */
  private def completeWindows(time: Long, before: Watermark): Seq[Long] = {
    val first = grid.firstStart(time)
    if (!before.reached(grid.end(first))) Nil
    else Iterator.iterate(first)(grid.next)
      .takeWhile(start => start <= time && before.reached(grid.end(start)))
      .filterNot(start => before.reached(grid.end(start), lateness)).toSeq
  }

  private def recordOf(start: Long, key: Key): Option[PaneRecord] = {
    val kept = Option(records.peek(start)).flatMap(keyed => Option(keyed.get(key)))
    if (kept.isDefined) kept
    else Option.when(slicesOf(start).exists(_.containsKey(key)))(PaneRecord(index = 1, pending = 0))
  }

  private def slicesOf(start: Long): Iterator[slices.Keyed] =
    Iterator.unfold(start)(from =>
      slices.ceiling(from).filter(_ < grid.end(start)).map(position => (slices.peek(position), position + 1)))

  private def insert(position: Long, entry: Entry[B]): Unit = {
    val keyed = slices.at(position)
    val old   = keyed.get(entry.key)
    keyed.put(entry.key, if (old == null) entry.buffer else aggregation.combine(old, entry.buffer))
    ()
  }

  /** A late message reaches a complete window; None: the window is new (SEMANTICS R79). */
  private def update(start: Long, entry: Entry[B], record: Option[PaneRecord]): Iterator[Effect[B, V]] = {
    val now = record.getOrElse(PaneRecord(0, 0)).plus(entry.count)
    if (policy.atStepEnd) touched.computeIfAbsent(start, _ => new JHashSet).add(entry.key)
    if (!policy.atStepEnd && (record.isEmpty || policy.afterMessage(now.pending)))
      Iterator.single(fireLate(start, entry.key, now, isLast = false))
    else {
      records.at(start).put(entry.key, now)
      Iterator.empty
    }
  }

  private def fireLate(start: Long, key: Key, record: PaneRecord, isLast: Boolean): Effect[B, V] = {
    records.at(start).put(key, record.fired)
    val buffer = slicesOf(start).map(_.get(key)).filter(_ != null)
      .foldLeft(null.asInstanceOf[B])((sum, b) => if (sum == null) aggregation.copy(b) else aggregation.combine(sum, b))
    pane(start, key, Timing.Late, record.index, isLast, buffer)
  }

  private def pane(start: Long, key: Key, timing: Timing, index: Long, isLast: Boolean, buffer: B): Effect[B, V] =
    Effect.Fire(Pane(
      key,
      start,
      grid.end(start),
      timing,
      index,
      isLast,
      isRetraction = false,
      aggregation.lower(buffer)))

  def advance(clock: StepClock, now: Watermark): Iterator[Effect[B, V]] =
    touchedPanes(now) ++
      (if (now == clock.before) Iterator.empty else onTimePanes(clock.before, now) ++ lastPanes(now)) ++
      leave(now)

  private def touchedPanes(now: Watermark): Iterator[Effect[B, V]] =
    touched.entrySet.iterator.asScala.flatMap { entry =>
      val start  = entry.getKey
      val isLast = now.reached(grid.end(start), lateness)
      entry.getValue.iterator.asScala.map(key => fireLate(start, key, records.peek(start).get(key), isLast))
    }

  private def onTimePanes(before: Watermark, now: Watermark): Iterator[Effect[B, V]] = {
    val sweep   = Sweep(grid.slicesPerWindow, aggregation)
    var entered = Long.MinValue
    def enterUntil(end: Long): Unit = {
      var next = slices.ceiling(entered)
      while (next.exists(_ < end)) {
        sweep.enter(next.get, slices.peek(next.get))
        entered = next.get + 1
        next = slices.ceiling(entered)
      }
    }
    completedStarts(before, now).flatMap { start =>
      entered = math.max(entered, start)
      enterUntil(grid.end(start))
      sweep.leaveBelow(start)
      val isLast = now.reached(grid.end(start), lateness)
      sweep.window.map { case (key, buffer) => pane(start, key, Timing.OnTime, 0, isLast, buffer) }
    }
  }

  /** Starts of the windows with content that the move of the watermark completes, ascending. */
  private def completedStarts(before: Watermark, now: Watermark): Iterator[Long] = {
    def next(from: Long): Option[Long] = slices.ceiling(from)
      .map(position => math.max(from, grid.firstStart(position)))
      .filter(start => now.reached(grid.end(start)))
    val first = if (before.isDefined) grid.firstStart(before.micros) else Long.MinValue
    Iterator.unfold(first)(from => next(from).map(start => (start, grid.next(start))))
  }

  /** What is still unsent when a window's lateness ends (SEMANTICS R80). */
  private def lastPanes(now: Watermark): Iterator[Effect[B, V]] =
    Iterator.unfold(Long.MinValue)(from => records.ceiling(from).map(start => (start, start + 1)))
      .takeWhile(start => now.reached(grid.end(start), lateness))
      .flatMap { start =>
        records.peek(start).entrySet.asScala.toArray.iterator.collect {
          case entry if entry.getValue.pending > 0 => fireLate(start, entry.getKey, entry.getValue, isLast = true)
        }
      }

  private def leave(now: Watermark): Iterator[Effect[B, V]] = {
    touched.clear()
    if (now.isDefined) {
      val open = if (now == Watermark.End) Long.MaxValue else grid.firstStart(now.micros - lateness)
      slices.dropBelow(open)
      records.dropBelow(open)
    }
    Iterator.empty
  }

  def flush(): Unit = {
    slices.flush()
    records.flush()
  }

  def readDirectory(in: ByteReader): Unit = {
    slices.readDirectory(in)
    records.readDirectory(in)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    slices.writeDirectory(out)
    records.writeDirectory(out)
  }
}

/** What a window that late messages reached keeps.
  *
  * @param index
  *   of its next pane
  * @param pending
  *   messages since its last pane
  */
private[operator] final case class PaneRecord(index: Long, pending: Long) {
  def plus(messages: Long): PaneRecord = copy(pending = pending + messages)
  def fired: PaneRecord                = PaneRecord(index + 1, 0)
}

private[operator] object PaneRecord extends Codec[PaneRecord] {
  def write(record: PaneRecord, out: ByteWriter): Unit = {
    out.count(record.index)
    out.count(record.pending)
  }
  def read(in: ByteReader): PaneRecord = PaneRecord(in.count(), in.count())
}
