package windrow.core.dedup

import java.util.Arrays
import windrow.core.state.{KeyMap, SortedRun}

/** The values of a run by position, which are found again without a search. The rows of a step are in the order of their
  * times, so they use the positions of a few slices of time again and again. Only for runs whose values are not combined.
  */
private[dedup] final class RecentPositions[T](run: SortedRun[T]) {
  import RecentPositions._

  private val positions = new Array[Long](Slots)
  private val found     = new Array[KeyMap[T]](Slots)
  private val isToFill  = new Array[Boolean](Slots)
  forget()

  /** The values at a position for reading only; null if there are none. */
  def peek(position: Long): KeyMap[T] = {
    val slot = (position & (Slots - 1)).toInt
    if (positions(slot) != position) put(slot, position, run.peek(position), fills = false)
    found(slot)
  }

  /** The values at a position, created if absent. The caller may change them. */
  def at(position: Long): KeyMap[T] = {
    val slot = (position & (Slots - 1)).toInt
    if (positions(slot) != position || !isToFill(slot)) put(slot, position, run.at(position), fills = true)
    found(slot)
  }

  private def put(slot: Int, position: Long, values: KeyMap[T], fills: Boolean): Unit = {
    positions(slot) = position
    found(slot) = values
    isToFill(slot) = fills
  }

  /** Must be called when positions are removed from the run, and when it is written. */
  def forget(): Unit = Arrays.fill(positions, Nowhere)
}

private[dedup] object RecentPositions {

  /** The number of positions whose values are remembered: those of four neighboring slices of time, because the lowest
    * 10 bits of a position are the hash of its keys.
    */
  private val Slots = 4096

  /** No time has this position. */
  private val Nowhere = Long.MinValue
}
