package windrow.core.operator
package aligned

import windrow.core.aggregate.{Combiner, Sweep}
import windrow.core.grid.SliceGrid
import windrow.core.state.KeyMap
import windrow.core.time.{Axis, EventTime}

/** Moves forward from window to window over slices.
  *
  * @param between
  *   the slices in `[from, until)`
  */
private[core] final class WindowSweep[B](grid: SliceGrid[Axis.Time], combine: Combiner[B])(
    between: (Long, Long) => Iterator[(Long, KeyMap[B])]) {
  private val sweep   = Sweep(grid.slicesPerWindow, combine)
  private var entered = EventTime.Min

  /** The window that starts at `start`; valid until the next call. */
  def to(start: Long): Sweep[B] = {
    val end = grid.end(start)
    between(math.max(entered, start), end).foreach { case (position, slice) => sweep.enter(position, slice) }
    entered = end
    sweep.leaveBelow(start)
    sweep
  }
}
