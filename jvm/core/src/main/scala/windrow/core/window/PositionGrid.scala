package windrow.core.window

/** Windows `[first, first + n)` of positions, one every `step` from a start on (SEMANTICS R21, R82). */
private[core] final class PositionGrid(n: Long, step: Long, start: Long) {
  private val grid = new FixedGrid(n, step, start)

  /** Before the start or between two windows. */
  def inGap(position: Long): Boolean = position < start || grid.inGap(position)

  def end(first: Long): Long           = first + n
  def next(first: Long): Long          = first + step
  def sliceStart(position: Long): Long = grid.sliceStart(position)

  /** The earliest window that ends after a position. */
  def firstAt(position: Long): Long = math.max(start, grid.firstStart(position))

  /** The last window that begins at or before a position. */
  def lastAt(position: Long): Long = grid.lastStart(position)

  /** Windows that hold a position, in order. */
  def windowsAt(position: Long): Iterator[Long] =
    Iterator.iterate(firstAt(position))(next).takeWhile(_ <= position)
}
