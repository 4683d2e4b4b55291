package windrow.core.aggregate

import scala.collection.AbstractIterator
import scala.collection.mutable.ArrayBuffer

/** The cells of some pieces, from index `first` of the first piece up to index `last` of the last piece. */
private[aggregate] final class CellsOfPieces[B](
    pieces: ArrayBuffer[RunPiece[B]],
    first: Int,
    last: Int,
    loaded: RunPiece[B] => ArrayBuffer[Cell[B]])
    extends AbstractIterator[Cell[B]] {
  private var cells: ArrayBuffer[Cell[B]] = _
  private var at                          = -1
  private var place                       = 0
  private var until                       = 0

  def hasNext: Boolean = {
    while (place == until && at + 1 < pieces.size) enter()
    place < until
  }

  private def enter(): Unit = {
    at += 1
    cells = loaded(pieces(at))
    place = if (at == 0) first else 0
    until = if (at == pieces.size - 1) last else cells.size
  }

  def next(): Cell[B] = if (hasNext) {
    place += 1
    cells(place - 1)
  } else Iterator.empty.next()
}
