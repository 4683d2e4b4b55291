package windrow.core.grid

import windrow.core.time.Axis
import windrow.core.time.Position.{floor, minus, plus}

/** Windows of a fixed size at a fixed step. */
final class FixedGrid[A <: Axis](val size: Long, val step: Long, val startTime: Long) extends SliceGrid[A] {
  private val origin = Math.floorMod(startTime, step)

  def lastStart(time: Long): Long  = floor(time, step, origin)
  def firstStart(time: Long): Long = plus(floor(minus(time, size), step, origin), step)
  def end(start: Long): Long       = plus(start, size)
  def next(start: Long): Long      = plus(start, step)
  def inGap(time: Long): Boolean   = time >= end(lastStart(time))
  def sliceStart(time: Long): Long = math.max(lastStart(time), end(floor(minus(time, size), step, origin)))
  def slicesPerWindow: Long        = (size + step - 1) / step * (if (size % step == 0) 1 else 2)
  def windowsPerPosition: Long     = (size - 1) / step + 1
}
