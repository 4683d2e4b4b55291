package windrow.core.operator
package aligned

import windrow.core.time.Axis
import windrow.core.window.SliceGrid

/** What all times of a slice have in common, found once where neighbouring messages are of one slice. */
private[core] final class SlicePlace(grid: SliceGrid[Axis.Time]) {
  private var until = 0L

  var start = 0L

  /** Where the first and the last of its windows end. */
  var firstEnd, lastEnd = 0L

  /** It is in no window. */
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
