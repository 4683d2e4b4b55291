package windrow.core.aggregate

import scala.collection.AbstractIterator
import scala.collection.mutable.ArrayBuffer

/** The cells of some pages, from index `first` of the first page up to index `last` of the last page. */
private[aggregate] final class CellsOfPages[B](
    pages: ArrayBuffer[CellPage[B]],
    first: Int,
    last: Int,
    loaded: CellPage[B] => ArrayBuffer[Cell[B]])
    extends AbstractIterator[Cell[B]] {
  private var cells: ArrayBuffer[Cell[B]] = _
  private var at                          = -1
  private var place                       = 0
  private var until                       = 0

  def hasNext: Boolean = {
    while (place == until && at + 1 < pages.size) enter()
    place < until
  }

  private def enter(): Unit = {
    at += 1
    cells = loaded(pages(at))
    place = if (at == 0) first else 0
    until = if (at == pages.size - 1) last else cells.size
  }

  def next(): Cell[B] = if (hasNext) {
    place += 1
    cells(place - 1)
  } else Iterator.empty.next()
}
