package windrow.core.operator
package sessions

import windrow.core.aggregate.{Aggregation, Cell, CellCodec, KeyRun}
import windrow.core.state._
import windrow.core.time.{Bounds, EventTime, Position}
import windrow.core.trigger.{PaneState, PaneStateCodec}
import windrow.core.window.{FormedSession, Instant}

/** A session in the state, whose rows are in the run of its key.
  *
  * @param last
  *   the time of its last row
  * @param reach
  *   the end that it would have if only the gap ended it
  * @param widest
  *   the greatest gap of one of its rows
  * @param withdrawn
  *   withdrawn sessions that began at one of its rows
  */
private[core] final case class CutSession[B](
    bounds: Bounds,
    last: Long,
    reach: Long,
    widest: Long,
    paneState: PaneState[B],
    withdrawn: Vector[WithdrawnSessions] = Vector.empty) {
  def holds(time: Long): Boolean = bounds.start <= time && time <= last

  /** Whether something other than the gap ended it. */
  def isCut: Boolean = bounds.end < reach

  /** The withdrawn sessions after it is withdrawn itself. Without a pane, nothing of it was emitted. */
  def left: Seq[WithdrawnSessions] =
    withdrawn ++ Option.when(paneState.index > 0)(WithdrawnSessions(bounds.start, bounds.end, paneState.index))

  /** The index of its first pane, if it is new. A session that ends later than all withdrawn ones was never emitted. */
  def firstIndex: Long = withdrawn.find(_.start == bounds.start).filter(bounds.end <= _.end).fold(0L)(_.next)
}

private[core] final class CutSessionCodec[B](aggregation: Aggregation[B, _]) extends Codec[CutSession[B]] {
  private val paneStates = new PaneStateCodec(aggregation)

  def write(session: CutSession[B], out: ByteWriter): Unit = {
    Seq(session.bounds.start, session.bounds.end, session.last, session.reach, session.widest).foreach(out.long)
    paneStates.write(session.paneState, out)
    WithdrawnSessions.write(session.withdrawn, out)
  }

  def read(in: ByteReader): CutSession[B] =
    CutSession(
      Bounds(in.long(), in.long()),
      in.long(),
      in.long(),
      in.long(),
      paneStates.read(in),
      WithdrawnSessions.read(in))
}

/** The rows of a key, and the sessions that they form.
  *
  * @param accepted
  *   number of accepted entries
  * @param settled
  *   rows before this time are rejected, because a session that was cut has closed; EventTime.Min if there is none
  * @param forgets
  *   the end from which on, with the lateness, no row can be before `settled`
  */
private[core] final class CutKeyState[B](
    val run: KeyRun[B],
    val sessions: DeadlineLayout.Pages[CutSession[B]],
    var accepted: Long = 0,
    var settled: Long = EventTime.Min,
    var forgets: Long = EventTime.Min) {

  /** The last session with its last row; None until a row has continued it, and after any other row. Not stored. */
  var tail: Option[FormedSession] = None

  def isEmpty: Boolean = sessions.isEmpty && settled == EventTime.Min

  /** Adds a row and returns its index. */
  def insert(entry: Entry[B]): Int = {
    accepted += 1
    run.insert(new Cell(
      entry.time.get,
      Cell.Nothing,
      accepted,
      Cell.NotLate,
      None,
      entry.count,
      entry.buffer,
      CutRow.bytes(entry)))
  }

  /** The rows at and after a time. */
  def instants(from: Long): Iterator[Instant] = CutRow.instants(run.cells(run.indexOf(from), run.size))

  /** The rows of one time without the one at an index; None if it is alone. */
  def others(time: Long, index: Int): Option[Instant] = {
    val (from, until) = (run.indexOf(time), run.indexOf(time + 1))
    CutRow.instants(run.cells(from, index) ++ run.cells(index + 1, until)).nextOption()
  }

  /** The rows of one time, of which there is at least one. */
  def instant(time: Long): Instant = CutRow.instants(run.cells(run.indexOf(time), run.indexOf(time + 1))).next()

  /** The newest row. */
  def newest: Instant = CutRow.of(run(run.size - 1))

  /** The time of the row before the one at an index. */
  def before(index: Int): Option[Long] = Option.when(index > 0)(run(index - 1).position)

  /** The time of the row after the one at an index. */
  def after(index: Int): Option[Long] = Option.when(index + 1 < run.size)(run(index + 1).position)

  /** The combination of the rows of a session. */
  def value(session: CutSession[B]): B = run.value(first(session), after(session))

  /** The number of rows of a session. */
  def messages(session: CutSession[B]): Long = run.messages(first(session), after(session))

  private def first(session: CutSession[B]): Int = run.indexOf(session.bounds.start)
  private def after(session: CutSession[B]): Int = run.indexOf(session.last + 1)

  /** A session as it continues with the next row. */
  def formed(session: CutSession[B]): FormedSession = {
    val end = instant(session.last)
    FormedSession(session.bounds.start, session.last, session.reach, session.widest, end.ends, end.values)
  }

  /** Drops the rows of closed sessions, which the state no longer contains, in ascending order. */
  def close(closed: Seq[CutSession[B]]): Unit = closed.lastOption.foreach { last =>
    tail = None
    run.dropFirst(after(last))
    closed.filter(_.isCut).foreach { one =>
      settled = math.max(settled, one.bounds.end)
      forgets = math.max(forgets, Position.plus(one.bounds.end, one.widest))
    }
  }
}

private[core] final class CutKeyStateCodec[B](
    aggregation: Aggregation[B, _],
    paged: DeadlineLayout[CutSession[B]],
    pages: Segments,
    runs: Segments)
    extends Codec[CutKeyState[B]] {
  private val sessions = new KeyPagesCodec(paged, pages)
  private val cells    = new CellCodec(aggregation)

  private def noRows = new KeyRun(aggregation, cells, runs)

  def empty: CutKeyState[B] = new CutKeyState(noRows, sessions.empty)

  def write(state: CutKeyState[B], out: ByteWriter): Unit = {
    out.count(state.accepted)
    out.long(state.settled)
    out.long(state.forgets)
    sessions.write(state.sessions, out)
    state.run.write(out)
  }

  def read(in: ByteReader): CutKeyState[B] = {
    val (accepted, settled, forgets) = (in.count(), in.long(), in.long())
    val known                        = sessions.read(in)
    val run                          = noRows
    run.read(in)
    new CutKeyState(run, known, accepted, settled, forgets)
  }
}

/** What sessions that are cut store of a row beside its value: its gap, whether it ends its session, and the values
  * whose change begins another one.
  */
private object CutRow {

  /** The size in bytes of the gap and the end. */
  private val Fixed = 9

  def bytes(entry: Entry[_]): Array[Byte] = {
    val mark = entry.mark.getOrElse(SessionMark.None)
    val out  = new ByteWriter(mark.values.bytes.length + Fixed)
    out.long(entry.value)
    out.byte(if (mark.ends) 1 else 0)
    out.append(mark.values.bytes, 0, mark.values.bytes.length)
    out.result()
  }

  def instants(cells: Iterator[Cell[_]]): Iterator[Instant] = {
    val rows = cells.map(of).buffered
    new Iterator[Instant] {
      def hasNext: Boolean = rows.hasNext
      def next(): Instant = {
        var one = rows.next()
        while (rows.headOption.exists(_.time == one.time)) one = one.and(rows.next())
        one
      }
    }
  }

  def of(cell: Cell[_]): Instant = {
    val in   = ByteReader(cell.raw)
    val gap  = in.long()
    val ends = in.byte() == 1
    Instant(cell.position, Position.plus(cell.position, gap), ends, Set(new Key(cell.raw.drop(Fixed))))
  }
}
