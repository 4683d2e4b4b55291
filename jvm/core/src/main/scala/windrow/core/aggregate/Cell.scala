package windrow.core.aggregate

import java.util.Arrays
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.time.EventTime

/** A message in the run of its key, or several messages that all windows treat alike.
  *
  * @param position
  *   position on the axis of its windows
  * @param order
  *   order among cells of one position, as unsigned bytes; empty if it does not matter
  * @param stamp
  *   sequence number in the order in which its key accepted messages
  * @param judged
  *   the watermark by which it was judged, if that had passed its position; otherwise [[Cell.NotLate]]
  * @param at
  *   processing time in microseconds; None if it is not needed, or before the first one is known
  * @param count
  *   number of messages
  * @param buffer
  *   the messages as an aggregation buffer, owned by the run
  * @param raw
  *   the message as panes show it; empty if they do not
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

  /** Whether it precedes another cell in the run. Equal cells are ordered by acceptance.
    *
    * @param aggregation
    *   compares the places of shown messages, which are single: a window of the last messages contains the messages that
    *   its value reads last
    */
  def isBefore(other: Cell[B], aggregation: Aggregation[B, _]): Boolean = {
    val byPosition = java.lang.Long.compare(position, other.position)
    val byPlace =
      if (byPosition != 0 || raw.length == 0 || other.raw.length == 0) byPosition
      else aggregation.comparePlaces(buffer, other.buffer)
    val byOrder   = if (byPlace != 0) byPlace else Arrays.compareUnsigned(order, other.order)
    val byContent = if (byOrder != 0) byOrder else Arrays.compareUnsigned(raw, other.raw)
    if (byContent != 0) byContent < 0 else stamp < other.stamp
  }
}

object Cell {
  val NotLate: Long        = EventTime.Min
  val Nothing: Array[Byte] = Array.empty
}

/** Writes and reads a cell. */
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
