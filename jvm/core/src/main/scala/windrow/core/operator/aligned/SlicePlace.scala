package windrow.core.operator
package aligned

import windrow.core.grid.SliceGrid
import windrow.core.time.Axis

/** The properties that all times of a slice share, computed once for consecutive messages of a slice. */
private[core] final class SlicePlace(grid: SliceGrid[Axis.Time]) {
  private var until = 0L

  var start = 0L

  /** The ends of its first and of its last window. */
  var firstEnd, lastEnd = 0L

  /** It belongs to no window. */
  var isInGap = false

  def goTo(time: Long): Unit = if (time < start || time >= until) {
    val last = grid.lastStart(time)
    start = grid.sliceStart(time)
    firstEnd = grid.end(grid.firstStart(time))
    lastEnd = grid.end(last)
    isInGap = grid.inGap(time)
    until = if (isInGap) grid.next(last) else math.min(grid.next(last), firstEnd)
  }
}
