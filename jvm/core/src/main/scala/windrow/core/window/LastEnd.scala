package windrow.core.window

import windrow._

/** Computes the exclusive end of the last window that accepts a message. Once the watermark has passed this end by the
  * lateness, the message is late (SEMANTICS R53).
  *
  * The place of a message in time is its event time, the end of its session, or the end of the inherited window.
  */
private[windrow] object LastEnd {

  /** Returns the function from place to end, in microseconds; [[windrow.core.time.EventTime.Max]] if no message is ever
    * late.
    */
  def of(window: WindowKind): Long => Long = window match {
    case aligned: AlignedWindows =>
      val grid = SliceGrid(aligned)
      time => grid.end(grid.lastStart(time))
    case other => other.lastEnd
  }
}
