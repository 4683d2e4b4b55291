package windrow.core.grid

import java.time.ZoneId
import windrow.core.time.Axis

/** Windows of consecutive steps of a calendar in a time zone, one from each step on (SEMANTICS W4, W6, W8).
  *
  * @param steps
  *   the number of steps in a window
  */
final class CalendarGrid(line: CalendarLine, steps: Long, in: ZoneId) extends SliceGrid[Axis.Time] {
  import CalendarGrid._

  private val edges = new NearEdges(line)
  private val spans = new Array[Span](1 << Bits)

  def lastStart(time: Long): Long  = edges.at(time)
  def firstStart(time: Long): Long = if (steps == 1) edges.at(time) else span(edges.at(time)).first
  def end(start: Long): Long       = if (steps == 1) edges.after(start) else span(start).end
  def next(start: Long): Long      = edges.after(start)
  def inGap(time: Long): Boolean   = false
  def sliceStart(time: Long): Long = edges.at(time)
  def slicesPerWindow: Long        = steps
  def windowsPerPosition: Long     = steps

  override def zone: Option[ZoneId] = Some(in)

  private def span(start: Long): Span = {
    val place = (start * Golden >>> (64 - Bits)).toInt
    val found = spans(place)
    if (found != null && found.start == start) found
    else {
      val span = new Span(start, line.moved(start, 1 - steps), line.moved(start, steps))
      spans(place) = span
      span
    }
  }
}

private object CalendarGrid {
  private final val Bits   = 8
  private final val Golden = 0x9e3779b97f4a7c15L // spreads starts, which are multiples of a length

  /** @param start
    *   the start of a step
    * @param first
    *   the start of the first window that contains it
    * @param end
    *   the end of the window that starts with it
    */
  private final class Span(val start: Long, val first: Long, val end: Long)
}

/** The starts of the steps of a calendar, without repetition. */
private[windrow] trait CalendarLine {

  /** The usual length of a step. */
  def usual: Long

  /** The last start at or before a time, and the first one after it. */
  def around(time: Long): (Long, Long)

  /** The start of the step that comes `steps` steps after the one that starts at `start`, or before it if negative. */
  def moved(start: Long, steps: Long): Long
}

/** Remembers the edges near the times that were last asked for, because finding one in a zone costs about 100 ns. The
  * time line is divided into chunks of at most half of a step. Threads may share it: an entry does not change.
  */
private final class NearEdges(line: CalendarLine) {
  import NearEdges._

  private val shift  = 62 - java.lang.Long.numberOfLeadingZeros(line.usual.max(2))
  private val chunks = new Array[Chunk](Size)

  def at(time: Long): Long = {
    val chunk = chunkOf(time)
    if (chunk.hasMore) line.around(time)._1 else if (time < chunk.edge) chunk.before else chunk.edge
  }

  def after(time: Long): Long = {
    val chunk = chunkOf(time)
    if (chunk.hasMore) line.around(time)._2 else if (time < chunk.edge) chunk.edge else chunk.after
  }

  private def chunkOf(time: Long): Chunk = {
    val number = time >> shift
    val found  = chunks((number & (Size - 1)).toInt)
    if (found != null && found.number == number) found else read(number)
  }

  private def read(number: Long): Chunk = {
    val first          = number << shift
    val last           = first + ((1L << shift) - 1)
    val (before, edge) = line.around(first)
    val after          = if (edge > last) edge else line.around(edge)._2
    val chunk          = new Chunk(number, before, edge, after, hasMore = after <= last)
    chunks((number & (Size - 1)).toInt) = chunk
    chunk
  }
}

private object NearEdges {
  private final val Size = 4096

  /** @param edge
    *   the first edge after its first time
    * @param hasMore
    *   whether it contains another edge
    */
  private final class Chunk(
      val number: Long,
      val before: Long,
      val edge: Long,
      val after: Long,
      val hasMore: Boolean)
}
