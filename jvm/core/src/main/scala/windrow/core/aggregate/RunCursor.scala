package windrow.core.aggregate

/** Moves forward from cell to cell of a run, which must not change meanwhile. */
private[core] trait RunCursor {

  /** Index of the current cell. */
  def at: Int
  def isAtEnd: Boolean

  /** Position of the current cell. */
  def position: Long

  /** Moves forward to the first cell at or above a position, unless it is there already. */
  def seek(position: Long): Unit
}
