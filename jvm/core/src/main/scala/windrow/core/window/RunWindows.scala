package windrow.core.window

import scala.annotation.tailrec
import scala.collection.AbstractIterator
import windrow.ErrorConditions
import windrow.Over
import windrow.Sliding
import windrow.core.aggregate.Cell
import windrow.core.aggregate.KeyRun
import windrow.core.aggregate.RunCursor
import windrow.core.state.DamagedStateError
import windrow.core.time.Bounds
import windrow.core.time.EventTime
import windrow.core.time.Position.floor
import windrow.core.time.Position.minus
import windrow.core.time.Position.plus

/** A window that messages of a key make.
  *
  * @param id
  *   among the windows of its key
  * @param start
  *   inclusive
  * @param end
  *   exclusive: one past the last position inside
  * @param from
  *   index of its first cell
  * @param until
  *   index past its last cell
  * @param owner
  *   index of the message whose window it is, or -1
  */
final case class RunWindow(id: Long, start: Long, end: Long, from: Int, until: Int, owner: Int) {
  def bounds: Bounds = Bounds(start, end)
}

/** Which windows the messages of one key make (KIP-450's and those of `Over`), read from their run alone. Nothing is kept
  * for a window. Positions are event times; windows come in order of their ends.
  */
private[core] sealed trait RunWindows {

  /** Where a message of a time stands. */
  def position(time: Long): Long = time

  /** The end of the last window that could come to be by a message at a position, or hold it. */
  def lastEnd(position: Long): Long

  /** Windows with ends in a closed range. */
  def ending(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow]

  /** Windows with ends from one on. */
  final def endingFrom(run: KeyRun[_], low: Long): Iterator[RunWindow] = ending(run, low, EventTime.Max)

  /** All windows, and perhaps some more, that messages with positions in a closed range hold or bring into being. */
  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow]

  /** The windows that exist since a cell at this index came, if they did not before; by end. */
  def made(run: KeyRun[_], index: Int): Iterator[RunWindow]

  /** The cell since whose acceptance a window exists. */
  def maker[B](run: KeyRun[B], window: RunWindow): Cell[B]

  /** The cells that have changed a window since another was accepted. */
  def updates[B](run: KeyRun[B], window: RunWindow, stamp: Long): Iterator[Cell[B]] =
    run.acceptedAfter(stamp, window.from, window.until)

  /** The cells that have changed a window since it was on time. */
  def lateUpdates[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    run.judgedFrom(window.end, window.from, window.until)

  /** What a window held when it was on time. */
  def onTime[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    run.cells(window.from, window.until).filter(_.judged < window.end)

  /** Windows begin at the first message that they hold. */
  def beginAtMessage: Boolean = false

  /** Cells below this index are in no window that ends after `bound`, and make none. */
  def firstNeeded(run: KeyRun[_], bound: Long): Int

  /** The least bound at which [[firstNeeded]] moves though no window ends. */
  def nextUnneeded(run: KeyRun[_]): Option[Long]
}

private[core] object RunWindows {
  def apply(sliding: Sliding): RunWindows = new SlidingWindows(sliding.size.micros, sliding.granularity.micros)

  def apply(over: Over): RunWindows = over match {
    case Over.Range(range) => new OverRange(range.micros)
    case Over.Rows(rows)   => new OverRows(math.min(rows, Int.MaxValue.toLong).toInt)
    case Over.Everything   => OverEverything
  }
}

/** `[t - size, t]` and `[t + g, t + g + size]`, the latter if it holds anything (SEMANTICS R45-R49). */
private final class SlidingWindows(size: Long, granularity: Long) extends RunWindows {
  override def position(time: Long): Long = floor(time, granularity)

  def lastEnd(position: Long): Long = plus(plus(position, size), 1)

  private def right(position: Long): Long = plus(plus(position, granularity), size)

  /** The position whose right window ends with this one. */
  private def leftOf(last: Long): Long = minus(last, granularity + size)

  private def startOf(last: Long): Long = minus(last, size)

  private def window(run: KeyRun[_], last: Long): RunWindow = {
    val start = startOf(last)
    RunWindow(start, start, plus(last, 1), run.indexOf(start), run.indexOf(plus(last, 1)), -1)
  }

  def ending(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    if (run.isEmpty || low > high) Iterator.empty else new Ending(run, minus(low, 1), minus(high, 1))

  /** Windows by their last positions, between two of them: four fingers go over the run, to the next message that a window ends at,
    * to the next that one begins behind, and to both ends of the window that these two make.
    */
  private final class Ending(run: KeyRun[_], first: Long, high: Long) extends AbstractIterator[RunWindow] {
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

    /** Makes the next window, if it holds anything; false: there is none. */
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

/** A window for each message, ending at it (SEMANTICS R43, R44). */
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

private final class OverRows(rows: Int) extends OverWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow = {
    val from = math.max(index - rows + 1, 0)
    RunWindow(run(index).stamp, run(from).position, plus(run(index).position, 1), from, index + 1, index)
  }

  override def beginAtMessage: Boolean = true

  /** Also those that were pushed out since. */
  override def updates[B](run: KeyRun[B], window: RunWindow, stamp: Long): Iterator[Cell[B]] =
    news(window, run.acceptedAfter(stamp, _, window.until)).filter(wasInside(run, window, _))

  override def lateUpdates[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    news(window, run.judgedFrom(window.end, _, window.until)).filter(wasInside(run, window, _))

  /** The new cells of a window, from an index on at which it has its full number of old ones, all older than they are:
    * what stands before that was never inside together with a new one.
    */
  @tailrec private def news[B](
      window: RunWindow,
      from: Int => Iterator[Cell[B]],
      pushed: Int = 0): Iterator[Cell[B]] = {
    val found = from(math.max(window.owner + 1 - rows - pushed, 0)).toVector
    if (found.size <= pushed) found.iterator else news(window, from, found.size)
  }

  /** When the cell came, there were not too many between it and the owner of the window. Stamps tell cells apart, not
    * objects: a long run reads a cell more than once.
    */
  private def wasInside(run: KeyRun[_], window: RunWindow, cell: Cell[_]): Boolean =
    Iterator.range(window.owner, -1, -1).map(run(_)).takeWhile(_.stamp != cell.stamp)
      .filter(_.stamp < cell.stamp).drop(rows - 1).isEmpty

  /** Late messages have pushed others out. */
  override def onTime[B](run: KeyRun[B], window: RunWindow): Iterator[Cell[B]] =
    Iterator.range(window.owner, -1, -1).map(run(_)).filter(_.judged < window.end).take(rows).toVector.reverseIterator

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] = {
    val last = run.indexOf(plus(high, 1)).toLong + rows - 1
    windows(run, run.indexOf(low), math.min(last, run.size.toLong).toInt)
  }

  /** Open windows need the `rows - 1` before them, and what was pushed out of them: it was part of a pane, or an update
    * that is not sent yet.
    */
  def firstNeeded(run: KeyRun[_], bound: Long): Int = {
    val open   = run.indexOf(bound)
    val oldest = run.minStamp(open)
    run.cells(0, beforeLate(run, open)).takeWhile(_.stamp < oldest).size
  }

  /** The index from which on there are `rows - 1` that were not late. */
  private def beforeLate(run: KeyRun[_], open: Int): Int =
    if (open < rows) 0
    else if (run.maxJudged == Cell.NotLate) open - rows + 1
    else Iterator.range(open - 1, -1, -1).filter(run(_).judged == Cell.NotLate).drop(rows - 2).nextOption().filter(_ =>
      rows > 1).getOrElse(if (rows == 1) open else 0)

  def nextUnneeded(run: KeyRun[_]): Option[Long] = None
}

/** The oldest cell stands for all that have left. */
private object OverEverything extends OverWindows {

  protected def window(run: KeyRun[_], index: Int): RunWindow =
    RunWindow(run(index).stamp, run(0).position, plus(run(index).position, 1), 0, upTo(run, index), index)

  override def beginAtMessage: Boolean = true

  def reached(run: KeyRun[_], low: Long, high: Long): Iterator[RunWindow] =
    windows(run, run.indexOf(low), run.size)

  def firstNeeded(run: KeyRun[_], bound: Long): Int = 0

  def nextUnneeded(run: KeyRun[_]): Option[Long] = None
}
