package windrow.core.window

import windrow.WindowFamily._
import windrow.WindowKind
import windrow.core.time.EventTime
import windrow.core.time.Position.plus

/** Computes the exclusive end of the last window that accepts a message. Once the watermark has passed this end by the
  * lateness, the message is late (SEMANTICS R53).
  *
  * The place of a message in time is its event time, the end of its session, or the end of the inherited window.
  */
private[windrow] object LastEnd {

  /** Returns the function from place to end, in microseconds; [[windrow.core.time.EventTime.Max]] if no message is ever
    * late.
    */
  def of(window: WindowKind): Long => Long = window.family match {
    case aligned: Aligned =>
      val grid = aligned.grid
      time => grid.end(grid.lastStart(time))
    case DistinctSets(size, _)                   => time => plus(plus(time, size.micros), 1)
    case _: UpToMessage                          => plus(_, 1)
    case _: ByGap | _: Inherited                 => identity
    case Everything | _: Numbered | _: OnOffsets => _ => EventTime.Max
  }
}
