package windrow.core.grid

import java.time.ZoneId
import windrow.core.time.{Axis, Bounds, EventTime, Position}

/** Windows whose bounds depend only on the axis. A slice is the part between two neighboring window edges: all of its
  * messages belong to the same windows (Li and others, No Pane, No Gain: SIGMOD Record 2005). All divisions are floor
  * divisions.
  */
trait SliceGrid[A <: Axis] {

  /** The greatest start of a window at or below a time. */
  def lastStart(time: Long): Long

  /** The start of the earliest window that ends after a time. */
  def firstStart(time: Long): Long

  /** The end of the window that starts at `start`. */
  def end(start: Long): Long

  /** The start of the window after the one that starts at `start`. */
  def next(start: Long): Long

  /** Whether a time belongs to no window, which is possible if the step is longer than the size. */
  def inGap(time: Long): Boolean

  /** The start of the slice that contains a time: the greatest window edge at or below it. */
  def sliceStart(time: Long): Long

  def slicesPerWindow: Long

  /** The greatest number of windows that contain one position. */
  def windowsPerPosition: Long

  /** Whether a time may belong to several windows. */
  final def overlaps: Boolean = windowsPerPosition > 1

  /** The time zone on which the bounds depend; None if they depend on none. */
  def zone: Option[ZoneId] = None

  /** The bounds of the window that starts at `start`. */
  final def bounds(start: Long): Bounds = Bounds(start, end(start))

  /** Windows that contain a position and start at or after `from`, in order. */
  final def windowsAt(position: Long, from: Long = Position.Least): Iterator[Long] =
    Iterator.iterate(math.max(firstStart(position), from))(next).takeWhile(_ <= position)

  /** Windows with starts from `from` to `to`, inclusive. */
  final def between(from: Long, to: Long): Iterator[Long] = Iterator.iterate(from)(next).takeWhile(_ <= to)

  /** Windows that contain any of some positions and start at or after `first`, in order.
    *
    * @param ceiling
    *   the least of these positions at or above another
    */
  final def windowsOver(first: Long)(ceiling: Long => Option[Long]): Iterator[Long] =
    Iterator.unfold(first)(from =>
      ceiling(from).map { position =>
        val start = math.max(from, firstStart(position))
        (start, next(start))
      })
}

object SliceGrid {

  /** A single window for all times. */
  object SingleWindow extends SliceGrid[Axis.Time] {
    def lastStart(time: Long): Long  = EventTime.Min
    def firstStart(time: Long): Long = EventTime.Min
    def end(start: Long): Long       = EventTime.Max
    def next(start: Long): Long      = EventTime.Max
    def inGap(time: Long): Boolean   = false
    def sliceStart(time: Long): Long = EventTime.Min
    def slicesPerWindow: Long        = 1
    def windowsPerPosition: Long     = 1
  }
}
