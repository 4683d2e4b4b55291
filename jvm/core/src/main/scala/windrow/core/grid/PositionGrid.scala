package windrow.core.grid

import windrow.core.time.Axis

/** Windows `[first, first + n)` of positions, one every `step` positions from a start on (SEMANTICS R21, R82). */
private[core] final class PositionGrid[A <: Axis](n: Long, step: Long, start: Long) extends SliceGrid[A] {
  private val grid = new FixedGrid[A](n, step, start)

  def lastStart(position: Long): Long  = grid.lastStart(position)
  def firstStart(position: Long): Long = math.max(start, grid.firstStart(position))
  def end(first: Long): Long           = grid.end(first)
  def next(first: Long): Long          = grid.next(first)
  def sliceStart(position: Long): Long = grid.sliceStart(position)
  def slicesPerWindow: Long            = grid.slicesPerWindow
  def windowsPerPosition: Long         = grid.windowsPerPosition

  /** Whether a position is before the start or between two windows. */
  def inGap(position: Long): Boolean = position < start || grid.inGap(position)
}
