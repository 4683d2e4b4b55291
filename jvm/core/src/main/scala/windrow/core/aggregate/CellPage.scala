package windrow.core.aggregate

import scala.util.control.NonFatal
import windrow.core.state.{ByteReader, ByteWriter, Page}

/** A page of a [[KeyRun]]. */
private[core] final class CellPage[B](aggregation: Aggregation[B, _]) extends Page[Cell[B]] {

  /** Positions. */
  var first, last = 0L

  var messages                      = 0L
  var minStamp, maxStamp, maxJudged = 0L

  /** The combination of all cells; None if it is unknown, also because combining them fails. A page can hold cells that no
    * window contains together, so its sum may overflow although the sum of each window does not (SEMANTICS R94).
    */
  private var sum = Option.empty[B]

  protected def describe(): Unit = {
    messages = 0
    minStamp = Long.MaxValue
    maxStamp = Long.MinValue
    maxJudged = Cell.NotLate
    sum = None
    values.foreach(include)
  }

  protected def include(cell: Cell[B]): Unit = {
    messages += cell.count
    minStamp = math.min(minStamp, cell.stamp)
    maxStamp = math.max(maxStamp, cell.stamp)
    maxJudged = math.max(maxJudged, cell.judged)
    first = values(0).position
    last = values(size - 1).position
  }

  override def insert(at: Int, cell: Cell[B]): Unit = {
    // A buffer that depends on order sorts its messages itself, so the sum can be extended.
    sum = sum.flatMap(known => CellPage.attempt(aggregation.combine(known, cell.buffer)))
    super.insert(at, cell)
  }

  /** Replaces a cell by one at the same position that also contains `added`. */
  def replace(at: Int, cell: Cell[B], added: B): Unit = {
    messages += cell.count - values(at).count
    values(at) = cell
    sum = sum.flatMap(known => CellPage.attempt(aggregation.combine(known, added)))
    changed = true
  }

  def knowsTotal: Boolean = sum.isDefined

  /** The combination of all cells, which must not be changed. It must be known, or the page must be read. */
  def total: B = sum.getOrElse {
    val made = CellPage.combined(values.iterator, aggregation)
    sum = Some(made)
    made
  }

  def write(out: ByteWriter): Unit = {
    Seq(first, last, minStamp, maxStamp, maxJudged, messages).foreach(out.long)
    // A buffer that contains its messages is not written, because it would repeat the page.
    val written = if (aggregation.storage.isEmpty && (knowsTotal || isRead)) CellPage.attempt(total) else None
    out.byte(if (written.isDefined) 1 else 0)
    written.foreach(aggregation.write(_, out))
  }

  def read(in: ByteReader): Unit = {
    first = in.long()
    last = in.long()
    minStamp = in.long()
    maxStamp = in.long()
    maxJudged = in.long()
    messages = in.long()
    sum = Option.when(in.byte() == 1)(aggregation.read(in))
  }
}

private[core] object CellPage {
  private def attempt[B](sum: => B): Option[B] =
    try Some(sum)
    catch { case NonFatal(_) => None }

  def combined[B](cells: Iterator[Cell[B]], aggregation: Aggregation[B, _]): B =
    if (!cells.hasNext) aggregation.zero
    else {
      var sum = aggregation.copy(cells.next().buffer)
      cells.foreach(cell => sum = aggregation.combine(sum, cell.buffer))
      sum
    }
}
