package windrow.core.window

import windrow._

/** Where the last of the windows that take a message ends, exclusive: from that watermark on, and the lateness after it, it
  * comes too late (SEMANTICS R53).
  *
  * A message has a place in time: its event time, of a session the end of its own, of an inherited window the end of that.
  */
private[windrow] object LastEnd {

  /** In microseconds; [[windrow.core.time.EventTime.Max]] where no time is too late. */
  def of(window: WindowKind): Long => Long = window match {
    case aligned: AlignedWindows =>
      val grid = SliceGrid(aligned)
      time => grid.end(grid.lastStart(time))
    case other => other.lastEnd
  }
}
