package windrow.core.window

import scala.annotation.tailrec
import scala.collection.AbstractIterator
import windrow.core.aggregate.{Cell, KeyRun, RunCursor}
import windrow.core.state.DamagedStateError
import windrow.core.time.Position.{floor, minus, plus}
import windrow.core.time.{Bounds, EventTime}
import windrow.{ErrorConditions, WindowFamily}

/** A window determined by the messages of a key.
  *
  * @param id
  *   unique among the windows of its key
  * @param start
  *   inclusive
  * @param end
  *   exclusive: one past the last position inside
  * @param from
  *   index of its first cell
  * @param until
  *   index after its last cell
  * @param owner
  *   index of the message that owns the window, or -1
  */
final case class RunWindow(id: Long, start: Long, end: Long, from: Int, until: Int, owner: Int) {
  def bounds: Bounds = Bounds(start, end)
}

/** Computes the windows that the messages of one key create (`Sliding`, as in KIP-450, and `Over`) from their run
  * alone; nothing is stored for a window. Positions are event times. Windows are returned in order of their ends.
  */
private[core] sealed trait RunWindows {

  /** The position of a message with this time. */
  def position(time: Long): Long = time

  /** The end of the last window that a message at a position creates or belongs to. */
  def lastEnd(position: Long): Long

  /** Windows with ends in a closed range. */
  def ending(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow]

  /** Windows with ends at or after `low`. */
  final def endingFrom(run: KeyRun[_], low: Long): Iterator[RunWindow] = ending(run, low, EventTime.Max)

  /** All windows that messages with positions in a closed range create or belong to, possibly with some others. */
  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow]

  /** The windows that the cell at this index has created, ordered by end. */
  def made(run: KeyRun[_], index: Int): Iterator[RunWindow]

  /** The cell that has created a window. */
  def maker[B](run: KeyRun[B], window: RunWindow): Cell[B]

  /** The cells that have changed a window since another one was accepted. */
  def updates[B](run: KeyRun[B], window: RunWindow, stamp: Long): Iterator[Cell[B]] =
    run.acceptedAfter(stamp, window.from, window.until)

  /** The cells that have changed a window since its on-time pane. */
  def lateUpdates[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    run.judgedFrom(window.end, window.from, window.until)

  /** The cells of a window at the time of its on-time pane. */
  def onTime[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    run.cells(window.from, window.until).filter(_.judged < window.end)

  /** Whether windows start at their first message. */
  def beginAtMessage: Boolean = false

  /** Cells below this index belong to no window that ends after `bound`, and create none. */
  def firstNeeded(run: KeyRun[_], bound: Long): Int

  /** The least bound at which [[firstNeeded]] increases without the end of a window. */
  def nextUnneeded(run: KeyRun[_]): Option[Long]
}

private[core] object RunWindows {
  def apply(family: WindowFamily.Run): RunWindows = family match {
    case WindowFamily.DistinctSets(size, granularity) => new SlidingWindows(size.micros, granularity.micros)
    case WindowFamily.MessageWindowsByTime(range)     => new OverRange(range.micros)
    case WindowFamily.MessageWindowsByCount(rows)     => new OverRows(math.min(rows, Int.MaxValue.toLong).toInt)
    case WindowFamily.MessageWindowsFromFirst         => OverEverything
  }
}

/** The windows `[t - size, t]` and, if it is not empty, `[t + g, t + g + size]` of each message (SEMANTICS R45-R49). */
private final class SlidingWindows(size: Long, granularity: Long) extends RunWindows {
  override def position(time: Long): Long = floor(time, granularity)

  def lastEnd(position: Long): Long = plus(plus(position, size), 1)

  private def right(position: Long): Long = plus(plus(position, granularity), size)

  /** The position whose right window ends together with this one. */
  private def leftOf(last: Long): Long = minus(last, granularity + size)

  private def startOf(last: Long): Long = minus(last, size)

  private def window(run: KeyRun[_], last: Long): RunWindow = {
    val start = startOf(last)
    RunWindow(start, start, plus(last, 1), run.indexOf(start), run.indexOf(plus(last, 1)), -1)
  }

  def ending(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    if (run.isEmpty || low > high) Iterator.empty else new EndingWindows(run, minus(low, 1), minus(high, 1))

  /** Windows with last positions in a range. Four cursors move over the run: to the next message at which a window
    * ends, to the next one after which a window starts, and to both ends of the resulting window.
    */
  private final class EndingWindows(run: KeyRun[_], first: Long, high: Long) extends AbstractIterator[RunWindow] {
    private val lefts            = run.cursor(first)
    private val rights           = run.cursor(leftOf(first))
    private var from: RunCursor  = _
    private var until: RunCursor = _
    private var found: RunWindow = _

    def hasNext: Boolean = {
      while (found == null && seek()) ()
      found != null
    }

    def next(): RunWindow = if (hasNext) {
      val window = found
      found = null
      window
    } else Iterator.empty.next()

    /** Moves to the next window and stores it if it contains a message; returns false after the last window. */
    private def seek(): Boolean = {
      val left = if (lefts.isAtEnd) Long.MaxValue else lefts.position
      val last = if (rights.isAtEnd) left else math.min(left, right(rights.position))
      val is   = !(lefts.isAtEnd && rights.isAtEnd) && last <= high
      if (is) {
        if (left == last) lefts.seek(plus(left, 1))
        if (!rights.isAtEnd && right(rights.position) == last) rights.seek(plus(rights.position, 1))
        hold(last)
      }
      is
    }

    private def hold(last: Long): Unit = {
      val start = startOf(last)
      if (from == null) {
        from = run.cursor(start)
        until = run.cursor(plus(last, 1))
      } else {
        from.seek(start)
        until.seek(plus(last, 1))
      }
      if (from.at < until.at) found = RunWindow(start, start, plus(last, 1), from.at, until.at, -1)
    }
  }

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    ending(run, plus(low, 1), plus(right(high), 1))

  def made(run: KeyRun[_], index: Int): Iterator[RunWindow] = {
    val position = run(index).position
    val before   = run.indexOf(position) - 1
    val filled   = Option.when(before >= 0)(right(run(before).position)).filter(_ > position)
    (Seq(position) ++ filled :+ right(position)).iterator.map(window(run, _)).filter(found => found.from < found.until)
  }

  def maker[B](run: KeyRun[B], window: RunWindow): Cell[B] = {
    def at(position: Long) = run.earliest(run.indexOf(position), run.indexOf(plus(position, 1)))
    val asLeft             = at(window.bounds.last)
    val asRight = at(minus(window.start, granularity)).flatMap(before =>
      run.earliest(window.from, window.until).map(inside => if (inside.stamp > before.stamp) inside else before))
    (asLeft ++ asRight).minByOption(_.stamp).getOrElse(throw new DamagedStateError(
      ErrorConditions.message("STATE_DAMAGED.WINDOW", "start" -> window.start, "end" -> window.end)))
  }

  def firstNeeded(run: KeyRun[_], bound: Long): Int = run.indexOf(leftOf(bound))

  def nextUnneeded(run: KeyRun[_]): Option[Long] =
    Option.unless(run.isEmpty)(plus(right(run(0).position), 1))
}

/** One window for each message, ending at it (SEMANTICS R43, R44). */
private sealed trait OverWindows extends RunWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow

  def lastEnd(position: Long): Long = plus(position, 1)

  protected def windows(run: KeyRun[_], from: Int, until: Int): Iterator[RunWindow] =
    Iterator.range(math.max(from, 0), math.min(until, run.size)).map(window(run, _))

  def ending(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    if (high == EventTime.Min) Iterator.empty else windows(run, run.indexOf(minus(low, 1)), run.indexOf(high))

  def made(run: KeyRun[_], index: Int): Iterator[RunWindow] = Iterator.single(window(run, index))

  def maker[B](run: KeyRun[B], window: RunWindow): Cell[B] = run(window.owner)

  protected def upTo(run: KeyRun[_], index: Int): Int = run.indexOf(plus(run(index).position, 1))
}

/** Windows of a range of time before each message. */
private final class OverRange(range: Long) extends OverWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow = {
    val own   = run(index)
    val start = minus(own.position, range)
    RunWindow(own.stamp, start, plus(own.position, 1), run.indexOf(start), upTo(run, index), index)
  }

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    ending(run, plus(low, 1), plus(plus(high, range), 1))

  def firstNeeded(run: KeyRun[_], bound: Long): Int = run.indexOf(minus(bound, range))

  def nextUnneeded(run: KeyRun[_]): Option[Long] = Option.unless(run.isEmpty)(plus(plus(run(0).position, range), 1))
}

/** Windows of a number of messages up to each message. */
private final class OverRows(rows: Int) extends OverWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow = {
    val from = math.max(index - rows + 1, 0)
    RunWindow(run(index).stamp, run(from).position, plus(run(index).position, 1), from, index + 1, index)
  }

  override def beginAtMessage: Boolean = true

  /** Includes cells that were pushed out of the window since. */
  override def updates[B](run: KeyRun[B], window: RunWindow, stamp: Long): Iterator[Cell[B]] =
    news(window, run.acceptedAfter(stamp, _, window.until)).filter(wasInside(run, window, _))

  override def lateUpdates[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    news(window, run.judgedFrom(window.end, _, window.until)).filter(wasInside(run, window, _))

  /** The new cells of a window. The search starts at an index with the full number of old cells before the owner, all
    * of them older than the new ones: an earlier cell was never in the window together with a new one.
    */
  @tailrec private def news[B](
      window: RunWindow,
      from: Int => Iterator[Cell[B]],
      pushed: Int = 0): Iterator[Cell[B]] = {
    val found = from(math.max(window.owner + 1 - rows - pushed, 0)).toVector
    if (found.size <= pushed) found.iterator else news(window, from, found.size)
  }

  /** Whether fewer than `rows` cells were between the cell and the owner of the window when the cell arrived. Cells are
    * compared by stamp, not by reference, because a long run reads a cell repeatedly.
    */
  private def wasInside(run: KeyRun[_], window: RunWindow, cell: Cell[_]): Boolean =
    Iterator.range(window.owner, -1, -1).map(run(_)).takeWhile(_.stamp != cell.stamp)
      .filter(_.stamp < cell.stamp).drop(rows - 1).isEmpty

  /** Skips late messages, because they have pushed others out of the window. */
  override def onTime[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    Iterator.range(window.owner, -1, -1).map(run(_)).filter(_.judged < window.end).take(rows).toVector.reverseIterator

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] = {
    val last = run.indexOf(plus(high, 1)).toLong + rows - 1
    windows(run, run.indexOf(low), math.min(last, run.size.toLong).toInt)
  }

  /** Open windows need the `rows - 1` cells before them and the cells that were pushed out of them, which were part of
    * a pane or of an update that has not been sent.
    */
  def firstNeeded(run: KeyRun[_], bound: Long): Int = {
    val open   = run.indexOf(bound)
    val oldest = run.minStamp(open)
    run.cells(0, beforeLate(run, open)).takeWhile(_.stamp < oldest).size
  }

  /** The index from which on `rows - 1` cells were not late. */
  private def beforeLate(run: KeyRun[_], open: Int): Int =
    if (open < rows) 0
    else if (run.maxJudged == Cell.NotLate) open - rows + 1
    else Iterator.range(open - 1, -1, -1).filter(run(_).judged == Cell.NotLate).drop(rows - 2).nextOption().filter(_ =>
      rows > 1).getOrElse(if (rows == 1) open else 0)

  def nextUnneeded(run: KeyRun[_]): Option[Long] = None
}

/** Windows of all messages so far. The oldest cell contains all removed messages. */
private object OverEverything extends OverWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow =
    RunWindow(run(index).stamp, run(0).position, plus(run(index).position, 1), 0, upTo(run, index), index)

  override def beginAtMessage: Boolean = true

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    windows(run, run.indexOf(low), run.size)

  def firstNeeded(run: KeyRun[_], bound: Long): Int = 0

  def nextUnneeded(run: KeyRun[_]): Option[Long] = None
}
