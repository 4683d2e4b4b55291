package windrow.core.aggregate

import java.util.Arrays
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.time.EventTime

/** A message in the run of its key, or several that no window tells apart.
  *
  * @param position
  *   on the axis of its windows
  * @param order
  *   among cells of one position, as unsigned bytes; empty where it does not show
  * @param stamp
  *   its place in the order of acceptance in its key
  * @param judged
  *   the watermark that it was judged by, where that had passed its position; else [[Cell.NotLate]]
  * @param at
  *   processing time, in microseconds; None if nobody asks for it, or before the first
  * @param count
  *   of messages
  * @param buffer
  *   the messages, lifted; it is the run's own
  * @param raw
  *   the message as panes show it; empty where they do not
  */
final class Cell[B](
    val position: Long,
    val order: Array[Byte],
    val stamp: Long,
    val judged: Long,
    val at: Option[Long],
    val count: Long,
    val buffer: B,
    val raw: Array[Byte]) {

  /** Before another in the run; of equals the one that was accepted first. */
  def isBefore(other: Cell[B]): Boolean = {
    val byPosition = java.lang.Long.compare(position, other.position)
    val byOrder    = if (byPosition != 0) byPosition else Arrays.compareUnsigned(order, other.order)
    val byContent  = if (byOrder != 0) byOrder else Arrays.compareUnsigned(raw, other.raw)
    if (byContent != 0) byContent < 0 else stamp < other.stamp
  }
}

object Cell {
  val NotLate: Long        = EventTime.Min
  val Nothing: Array[Byte] = Array.empty
}

private[core] final class CellCodec[B](buffers: Codec[B]) extends Codec[Cell[B]] {
  private val IsLate = 1; private val HasTime = 2; private val IsShown = 4; private val IsMany = 8

  def write(cell: Cell[B], out: ByteWriter): Unit = {
    val isShown = cell.order.nonEmpty || cell.raw.nonEmpty
    out.byte(
      (if (cell.judged != Cell.NotLate) IsLate else 0) | (if (cell.at.isDefined) HasTime else 0) |
        (if (isShown) IsShown else 0) | (if (cell.count != 1) IsMany else 0))
    out.long(cell.position)
    out.count(cell.stamp)
    if (cell.judged != Cell.NotLate) out.long(cell.judged)
    cell.at.foreach(out.long)
    if (cell.count != 1) out.count(cell.count)
    buffers.write(cell.buffer, out)
    if (isShown) {
      out.bytes(cell.order)
      out.bytes(cell.raw)
    }
  }

  def read(in: ByteReader): Cell[B] = {
    val flags    = in.byte().toInt
    val position = in.long()
    val stamp    = in.count()
    val judged   = if ((flags & IsLate) != 0) in.long() else Cell.NotLate
    val at       = Option.when((flags & HasTime) != 0)(in.long())
    val count    = if ((flags & IsMany) != 0) in.count() else 1L
    val buffer   = buffers.read(in)
    val isShown  = (flags & IsShown) != 0
    val order    = if (isShown) in.bytes() else Cell.Nothing
    val raw      = if (isShown) in.bytes() else Cell.Nothing
    new Cell(position, order, stamp, judged, at, count, buffer, raw)
  }
}
