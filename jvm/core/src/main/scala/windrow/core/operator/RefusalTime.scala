package windrow.core.operator

import windrow._
import windrow.core.window.RunWindows.plus
import windrow.core.window.SliceGrid

/** From which watermark on no window takes a message any more (SEMANTICS A5): a second coming of it would be refused.
  *
  * A message has a place in time: its event time, of a session its end, of an inherited window the end of that.
  */
private[core] final class RefusalTime(window: WindowKind, lateness: TimeSpan, retention: Retention) {

  private val from: Long => Long = window match {
    case Global          => retention.time.fold((_: Long) => Long.MaxValue)(kept => after(kept.micros))
    case _: TupleWindows => _ => Long.MaxValue
    case _ if lateness == TimeSpan.Endless => _ => Long.MaxValue
    case aligned: AlignedWindows =>
      val grid = SliceGrid(aligned)
      time => plus(grid.end(grid.lastStart(time)), lateness.micros)
    case Sliding(size, _)        => time => after(lateness.micros)(plus(time, size.micros))
    case _: Over                 => after(lateness.micros)
    case _: Session | _: Inherit => end => plus(end, lateness.micros)
  }

  private def after(span: Long)(time: Long): Long = plus(plus(time, span), 1)

  def hasCome(place: Long, now: Watermark): Boolean = RefusalTime.isBefore(place, now, from)
}

private[core] object RefusalTime {

  /** A message without a place in time is refused at any watermark, one whose place is not known at none. */
  def isBefore(place: Long, now: Watermark, from: Long => Long): Boolean =
    place == Long.MinValue || (place != Long.MaxValue && now.reached(from(place)))
}
