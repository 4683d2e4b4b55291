package windrow.core.window

/** Windows `[first, first + n)` of positions, one every `step` from a start on (SEMANTICS R21, R82). */
private[core] final class PositionGrid(n: Long, step: Long, start: Long) extends SliceGrid {
  private val grid = new FixedGrid(n, step, start)

  def lastStart(position: Long): Long  = grid.lastStart(position)
  def firstStart(position: Long): Long = math.max(start, grid.firstStart(position))
  def end(first: Long): Long           = first + n
  def next(first: Long): Long          = first + step
  def sliceStart(position: Long): Long = grid.sliceStart(position)
  def slicesPerWindow: Long            = grid.slicesPerWindow

  /** Before the start or between two windows. */
  def inGap(position: Long): Boolean = position < start || grid.inGap(position)

  /** The last position inside. */
  override def printedEnd(first: Long): Long = end(first) - 1
}
