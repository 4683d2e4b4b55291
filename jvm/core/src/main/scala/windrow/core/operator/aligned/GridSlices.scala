package windrow.core.operator
package aligned

import scala.collection.mutable.ArrayBuffer
import windrow.core.aggregate.{Aggregation, BufferGroup, OwnedCodec, RangeSweep}
import windrow.core.grid.SliceGrid
import windrow.core.state.{Key, KeyMap, SortedRun, Spaces, StatePart, StateParts}
import windrow.core.time.{Axis, Distance, EventTime, Watermark}

/** The messages of all keys of a shard, stored once by slice, and the values of windows computed from them. Windows are
  * identified by their starts.
  *
  * @param settles
  *   the value of a slice stays bit for bit as it was read
  */
private[core] final class GridSlices[B](
    grid: SliceGrid[Axis.Time],
    aggregation: Aggregation[B, _],
    store: Spaces,
    settles: Boolean) extends StateParts {
  private val slices = new SortedRun(
    "slices",
    store,
    new OwnedCodec(aggregation),
    leaves = aggregation.storage.map(storage => storage.release(_: B)),
    combine = Some(aggregation.combine(_, _)),
    settles = settles)

  def insert(slice: Long, key: Key, buffer: B): Unit = slices.add(slice, key, buffer)

  /** The value of a key in a slice, for reading only. */
  def at(key: Key, slice: Long): Option[B] = Option(slices.peek(slice)).flatMap(keyed => Option(keyed.get(key)))

  /** The last slice at or before a position. */
  def floor(position: Long): Option[Long] = slices.floor(position)

  /** The slices in `[from, until)` with the values of all keys, for reading only. */
  def between(from: Long, until: Long): Iterator[(Long, KeyMap[B])] = slices.between(from, until)

  def hasContent(key: Key, start: Long): Boolean =
    slices.between(start, grid.end(start)).exists { case (_, keyed) => keyed.containsKey(key) }

  /** The value of a window; the caller may change it. */
  def value(key: Key, start: Long): B = values(key, Seq(start)).next()

  /** The values of windows with ascending starts, in one sweep over the slices of their key. */
  def values(key: Key, starts: Seq[Long]): Iterator[B] = {
    val positions = new ArrayBuffer[Long]
    val buffers   = new ArrayBuffer[B]
    var entered   = EventTime.Min
    var first     = 0
    val ranges = starts.toVector.map { start =>
      val end = grid.end(start)
      for ((position, keyed) <- slices.between(math.max(entered, start), end) if keyed.containsKey(key)) {
        positions += position
        buffers += keyed.get(key)
      }
      entered = end
      while (first < positions.size && positions(first) < start) first += 1
      (first, positions.size)
    }
    new RangeSweep(new BufferGroup(buffers.toIndexedSeq, aggregation), aggregation).apply(ranges)
  }

  /** The windows with messages that a move of the watermark completes, in ascending order, with the values of all keys.
    * The caller must not change these.
    */
  def completed(before: Watermark, now: Watermark): Iterator[(Long, Iterator[(Key, B)])] =
    swept(firstIncomplete(before))(start => now.reached(grid.end(start)))

  /** The windows with messages that a move of the watermark closes, in the same way. */
  def closed(
      before: Watermark,
      now: Watermark,
      lateness: Distance[Axis.Time]): Iterator[(Long, Iterator[(Key, B)])] = {
    val left = before.leaves(lateness)
    swept(if (left == EventTime.Min) left else grid.firstStart(left))(start => now.reached(grid.end(start), lateness))
  }

  private def swept(first: Long)(isTaken: Long => Boolean): Iterator[(Long, Iterator[(Key, B)])] = {
    val sweep = this.sweep
    grid.windowsOver(first)(slices.ceiling).takeWhile(isTaken).map(start => (start, sweep.to(start).window))
  }

  /** A sweep over the windows of all keys. */
  def sweep: WindowSweep[B] = new WindowSweep(grid, aggregation)(slices.between)

  /** An upper bound of the number of values in the slices of windows with ascending starts. Reads nothing. */
  def sizeAtMost(starts: Iterator[Long]): Long = {
    var counted = EventTime.Min
    starts.map { start =>
      val from = math.max(counted, start)
      counted = grid.end(start)
      slices.sizeAtMost(from, counted)
    }.sum
  }

  /** The start of the first window that the watermark has not completed. */
  def firstIncomplete(at: Watermark): Long = if (at.isDefined) grid.firstStart(at.micros) else EventTime.Min

  /** All windows, some of them repeatedly. */
  def windows: Iterator[(Key, Long)] = for {
    (position, keyed) <- slices.between(EventTime.Min, EventTime.Max)
    start             <- grid.windowsAt(position)
    key               <- keyed.keysInOrder
  } yield (key, start)

  /** The number of windows with messages; None if windows share slices or the number is unknown. */
  def count: Option[Long] = if (grid.overlaps) None else slices.size

  /** Removes everything that belongs to no window from `start` on. */
  def dropBelow(start: Long): Unit    = slices.dropBelow(start)
  protected def parts: Seq[StatePart] = Seq(slices)
}
