package windrow.core.window

import windrow.WindowFamily._
import windrow.core.time.EventTime
import windrow.core.time.Position.plus
import windrow.{WindowFamily, WindowKind}

/** Computes the exclusive end of the last window that accepts a message. Once the watermark has passed this end by the
  * lateness, the message is late (SEMANTICS R53).
  *
  * The place of a message in time is its event time, the end of its session, or the end of the inherited window.
  */
private[windrow] object LastEnd {

  /** Returns the function from place to end, in microseconds; [[windrow.core.time.EventTime.Max]] if no message is ever
    * late.
    */
  def of(window: WindowKind): Long => Long = of(window.family)

  private def of(family: WindowFamily): Long => Long = family match {
    case several: Several => ofSeveral(several)((one, other) => math.max(one, other))
    case aligned: Aligned =>
      val grid = aligned.grid
      time => grid.end(grid.lastStart(time))
    case DistinctSets(size, _)                        => time => plus(plus(time, size.micros), 1)
    case _: MessageWindows                            => plus(_, 1)
    case _: GapFamily | _: Inherited                  => identity
    case SingleWindow | _: Numbered | _: OffsetFamily => _ => EventTime.Max
  }

  /** Returns the function from place to the end of the first of several windows to reject a message. It differs from
    * [[of]] only for several windows.
    */
  def first(window: WindowKind): Long => Long = window.family match {
    case several: Several => ofSeveral(several)((one, other) => math.min(one, other))
    case _                => of(window)
  }

  private def ofSeveral(several: Several)(choose: (Long, Long) => Long): Long => Long = {
    val ends = several.families.map { family =>
      val last = of(family)
      family match {
        case Sessions(Some(gap)) => (time: Long) => last(plus(time, gap.micros)) // its place is the session's end
        case _                   => last
      }
    }
    time => ends.iterator.map(_(time)).reduce(choose)
  }
}
