package windrow.core.operator
package aligned

import windrow._
import windrow.core.aggregate.{Aggregation, GapFiller}
import windrow.core.grid.SliceGrid
import windrow.core.operator.gaps.{EndedGaps, GapWindows, NeighborValue, Neighbors}
import windrow.core.state.{Key, SortedRun, Spaces, StatePart, StateParts}
import windrow.core.time.{Axis, Watermark}
import windrow.core.trigger.PaneState

/** The panes of windows without messages (SEMANTICS R3, R120 to R122).
  *
  * @param nothing
  *   the buffer of such a window, by key and start
  */
private[core] final class GapPanes[B, V](
    grid: SliceGrid[Axis.Time],
    spec: WindowOperatorSpec,
    aggregation: Aggregation[B, V],
    panes: PaneMaker[B, V],
    slices: GridSlices[B],
    records: SortedRun[PaneState[B]],
    gaps: GapWindows,
    nothing: (Key, Long) => B,
    store: Spaces) extends StateParts {
  private type Parts = Iterator[Part[Effect[B, V]]]

  private val lateness = spec.latenessInTime

  /** The last closed window of each key, if windows get values from others. Stored in the checkpoint. */
  private val neighbors = Neighbors.of(grid, spec, aggregation, store)

  /** Fires the windows of keys at the end of a step. */
  def fire(before: Watermark, now: Watermark): Parts = gaps.fill(before, now) { (key, ended) =>
    if (!spec.onTime) Iterator.empty
    else aggregation.filler.filter(_ => spec.gapValues.isDefined).fold(empty(key, ended, now)) { filler =>
      new FilledGaps(key, filler, before, now).fire(ended)
    }
  }

  private def isClosed(start: Long, at: Watermark): Boolean = at.reached(grid.end(start), lateness)

  private def each(ranges: Seq[(Long, Long)])(fire: (Long, Out[Effect[B, V]]) => Unit): Parts =
    Part.each(ranges.iterator.flatMap { case (from, to) => grid.between(from, to) })(fire)

  private def idOf(key: Key, start: Long) = WindowId(key, grid.bounds(start))

  /** Fires windows with the value of no messages. */
  private def empty(key: Key, ended: EndedGaps, now: Watermark): Parts =
    each(ended.late) { (start, out) =>
      val next = panes.fire(
        idOf(key, start),
        PaneState(),
        Timing.Late,
        isClosed(start, now),
        nothing(key, start),
        out)
      keep(key, start, next)
    } ++ each(ended.onTime)((start, out) =>
      out.put(panes.first(idOf(key, start), Timing.OnTime, isClosed(start, now), nothing(key, start))))

  private def keep(key: Key, start: Long, record: PaneState[B]): Unit = {
    records.at(start).put(key, record)
    ()
  }

  /** The windows of a key, in one step, with values that depend on other windows. */
  private final class FilledGaps(key: Key, filler: GapFiller[V], before: Watermark, now: Watermark) {

    /** The last value that was computed from messages. */
    private var known: Option[NeighborValue[V]] = None

    def fire(ended: EndedGaps): Parts =
      if (spec.gapValues.exists(_.isLinear)) wait(ended)
      else
        each(ended.late)((start, out) => show(start, PaneState(), Timing.Late, value(start), out)) ++
          each(ended.onTime)((start, out) => first(start, value(start), out)) ++
          each(ended.changed)((start, out) =>
            carried(start).foreach(last =>
              show(start, recordOf(start), Timing.Late, filler.after(own(start), last.value), out)))

    /** Windows that end wait for the next window with messages. */
    private def wait(ended: EndedGaps): Parts =
      Part.silent((ended.late ++ ended.onTime).foreach { case (from, to) => gaps.await(key, from, to) }) ++
        Part.later(gaps.waiting(key).iterator.flatMap { case (from, to) => settle(from, to) })

    /** Fires a range of waiting windows if their values are known. */
    private def settle(from: Long, to: Long): Parts = {
      val last  = lastBefore(from)
      val next  = Some(grid.next(to)).filter(start => now.reached(grid.end(start)) && gaps.isCovered(key, start))
      val reach = last.flatMap(one => neighbors.map(_.reach(one.start)))
      val near  = next.filter(start => reach.exists(grid.end(start) <= _))
      if (next.isEmpty && reach.exists(!now.reached(_))) Iterator.empty
      else Part.silent(gaps.takeAll(key, from, to)) ++ each(Seq((from, to))) { (start, out) =>
        first(
          start,
          last.zip(near.map(withMessages)).fold(value(start)) { case (one, other) =>
            val share = (start - one.start).toDouble / (other.start - one.start).toDouble
            filler.between(own(start), one.value, other.value, share)
          },
          out)
      }
    }

    private def own(start: Long): V = aggregation.lowerUntil(aggregation.zero, Some(grid.end(start)))

    private def value(start: Long): V =
      carried(start).fold(filler.alone(own(start)))(last => filler.after(own(start), last.value))

    /** The window whose value is carried to another one. */
    private def carried(start: Long): Option[NeighborValue[V]] =
      lastBefore(start).filter(last => neighbors.exists(grid.end(start) <= _.reach(last.start)))

    /** The last window of the key with messages before another one. */
    private def lastBefore(start: Long): Option[NeighborValue[V]] = neighbors.flatMap { closed =>
      gaps.lastCovered(key, start).filter(!isClosed(_, before)).map(withMessages)
        .orElse(closed.last(key).filter(_.start < start))
    }

    private def withMessages(start: Long): NeighborValue[V] = {
      if (!known.exists(_.start == start))
        known = Some(NeighborValue(start, aggregation.lowerUntil(slices.value(key, start), Some(grid.end(start)))))
      known.get
    }

    /** The record of a window that has fired. */
    private def recordOf(start: Long): PaneState[B] = Option(records.peek(start)).flatMap(all => Option(all.get(key)))
      .getOrElse(panes.firedOnTime(aggregation.zero))

    private def first(start: Long, value: V, out: Out[Effect[B, V]]): Unit =
      if (panes.readsShown && !isClosed(start, now)) show(start, PaneState(), Timing.OnTime, value, out)
      else out.put(panes.firstOf(idOf(key, start), Timing.OnTime, isClosed(start, now), value))

    private def show(start: Long, record: PaneState[B], timing: Timing, value: V, out: Out[Effect[B, V]]): Unit =
      keep(key, start, panes.fireValue(idOf(key, start), record, timing, isClosed(start, now), value, out))
  }

  /** Ends a step, before the messages of closed windows are removed. */
  def leave(before: Watermark, now: Watermark): Unit = neighbors.foreach { closed =>
    slices.closed(before, now, lateness).foreach { case (start, values) =>
      values.foreach { case (key, buffer) =>
        closed.close(key, start, aggregation.lowerUntil(buffer, Some(grid.end(start))))
      }
    }
    closed.forget(now)
  }

  protected def parts: Seq[StatePart] = gaps +: neighbors.toSeq
}
