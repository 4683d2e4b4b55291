package windrow.core.fullstate

import windrow._
import windrow.core.operator.Watermark
import windrow.core.store.Incoming
import windrow.core.store.StoredMessage
import windrow.core.store.WindowRow
import windrow.core.window.SessionBounds
import windrow.core.window.SessionPlan
import windrow.core.window.SliceGrid

/** Where a message goes among the windows of its key. */
private[fullstate] sealed trait Placement

private[fullstate] object Placement {
  case object Broken  extends Placement
  case object Gap     extends Placement
  case object TooLate extends Placement

  /** @param rows
    *   the key's windows afterwards, by start; the message is counted in each that takes it
    * @param first
    *   the earliest of these: with it the message comes out, once (SEMANTICS R6)
    */
  final case class Enter(rows: Vector[WindowRow], first: Int) extends Placement
}

/** Decides on windows; keeps nothing. */
private[fullstate] trait Placer {

  /** @param rows
    *   of the message's key, by start
    */
  def place(rows: Vector[WindowRow], message: Incoming, time: Long, before: Watermark): Placement
}

private[fullstate] object Placer {
  def apply(window: WindowKind, lateness: Long): Placer = window match {
    case aligned: AlignedWindows => new AlignedPlacer(SliceGrid(aligned), lateness)
    case Session(gap)            => new SessionPlacer(gap.map(_.micros), lateness)
    case Global                  => GlobalPlacer
    case other                   => throw new IllegalArgumentException(s"no full-state windows: $other")
  }

  /** Bounds beyond 64 bits end at its limits. */
  def plus(time: Long, span: Long): Long = {
    val sum = time + span
    if (sum < time) Long.MaxValue else sum
  }
}

private final class AlignedPlacer(grid: SliceGrid, lateness: Long) extends Placer {
  def place(rows: Vector[WindowRow], message: Incoming, time: Long, before: Watermark): Placement =
    if (grid.inGap(time)) Placement.Gap
    else {
      val open = Iterator.iterate(grid.firstStart(time))(grid.next).takeWhile(_ <= time)
        .filterNot(start => before.reached(grid.end(start), lateness)).toVector
      if (open.isEmpty) Placement.TooLate else enter(rows, message.stored(time), open)
    }

  private def enter(rows: Vector[WindowRow], message: StoredMessage, open: Vector[Long]): Placement = {
    val known = rows.filter(row => open.contains(row.start))
    val taken = open.map(start =>
      known.find(_.start == start).getOrElse(WindowRow.opened(start, grid.end(start))).counting(message))
    val (earlier, others) = rows.filterNot(known.contains).partition(_.start < open.head)
    Placement.Enter(earlier ++ (taken ++ others).sortBy(_.start), earlier.size)
  }
}

private final class SessionPlacer(gap: Option[Long], lateness: Long) extends Placer {
  def place(rows: Vector[WindowRow], message: Incoming, time: Long, before: Watermark): Placement =
    message.gap.orElse(gap).filter(_ > 0).fold[Placement](Placement.Broken) { own =>
      val bounds = SessionBounds(time, Placer.plus(time, own))
      if (before.reached(bounds.end, lateness)) Placement.TooLate else enter(rows, message.stored(time), bounds, before)
    }

  /** Sessions past their lateness only remember; they take nothing more (SEMANTICS R53). */
  private def enter(
      rows: Vector[WindowRow],
      message: StoredMessage,
      own: SessionBounds,
      before: Watermark): Placement = {
    val (closed, open) = rows.partition(row => before.reached(row.end, lateness))
    val (merged, bounds) = SessionPlan(open.map(row => SessionBounds(row.start, row.end)), own) match {
      case SessionPlan.Update(index) => (Seq(open(index)), SessionBounds(open(index).start, open(index).end))
      case SessionPlan.Replace(from, until, bounds) => (open.slice(from, until), bounds)
    }
    val row = merged match {
      case Seq(same) if same.start == bounds.start && same.end == bounds.end => same
      case one +: others => one.joined(others, bounds.start, bounds.end)
      case _             => WindowRow.opened(bounds.start, bounds.end)
    }
    val taken = row.counting(message)
    val after = (closed ++ open.filterNot(merged.contains) :+ taken).sortBy(row => (row.start, row.end))
    Placement.Enter(after, after.indexWhere(_ eq taken))
  }
}

private object GlobalPlacer extends Placer {
  def place(rows: Vector[WindowRow], message: Incoming, time: Long, before: Watermark): Placement = {
    val row = rows.headOption.getOrElse(WindowRow.opened(Long.MinValue, Long.MaxValue))
    Placement.Enter(Vector(row.counting(message.stored(time))), 0)
  }
}
