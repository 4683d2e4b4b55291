package windrow.core.window

import windrow._
import windrow.core.time.EventTime.plus

/** Where the last of the windows that take a message ends, exclusive: from that watermark on, and the lateness after it, it
  * comes too late (SEMANTICS R53).
  *
  * A message has a place in time: its event time, of a session the end of its own, of an inherited window the end of that.
  */
private[core] object LastEnd {

  /** In microseconds; [[Long.MaxValue]] where no time is too late. */
  def of(window: WindowKind): Long => Long = window match {
    case aligned: AlignedWindows =>
      val grid = SliceGrid(aligned)
      time => grid.end(grid.lastStart(time))
    case Sliding(size, _)         => time => plus(plus(time, size.micros), 1)
    case _: Over                  => plus(_, 1)
    case _: Session | _: Inherit  => end => end
    case Global | _: TupleWindows => _ => Long.MaxValue
  }
}
