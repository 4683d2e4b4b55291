package windrow.core.window

import windrow.AlignedWindows

/** Where aligned windows begin and end. A slice is the part of the time axis between two neighbouring window edges: all
  * its messages are in the same windows. Times in microseconds; all division is floor division.
  */
final class SliceGrid(val size: Long, val step: Long, offset: Long) {
  def this(windows: AlignedWindows) = this(windows.size.micros, windows.step.micros, windows.offset.micros)

  /** The greatest start of a window at or below a time. */
  def lastStart(time: Long): Long = floor(time, offset)

  /** The start of the earliest window that ends after a time. */
  def firstStart(time: Long): Long = floor(time - size, offset) + step

  /** With a step longer than the size some times are in no window. */
  def inGap(time: Long): Boolean = time >= lastStart(time) + size

  /** The start of the slice that holds a time: the greatest window edge at or below it. */
  def sliceStart(time: Long): Long = math.max(lastStart(time), floor(time - size, offset) + size)

  private def floor(time: Long, origin: Long): Long = time - Math.floorMod(time - origin, step)
}
