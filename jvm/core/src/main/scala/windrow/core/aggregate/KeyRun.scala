package windrow.core.aggregate

import scala.collection.AbstractIterator
import scala.collection.mutable.ArrayBuffer
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.state.FirstIndex
import windrow.core.state.RootBlocks
import windrow.core.state.Segments

/** The cells of one key in order, in pieces of neighbours with partial aggregates: a B+-tree of height two whose root is
  * this object. Cells are named by their index, 0 being the oldest that has not left.
  *
  * Only pieces that are touched are read, only those that change are written; a small run lives inside its root. Of those
  * that were read and have not changed no more than `heldPieces` stay in memory. With n
  * cells, inserting and asking for a range cost O(√n), O(1) amortised at the end: as the finger B-tree of Tangwongsan,
  * Hirzel and Schneider, Optimal and General Out-of-Order Sliding-Window Aggregation (VLDB 2019), but flat, since a level
  * less is a read of the store less.
  *
  * @param leaves
  *   hears of the buffer of each cell that is dropped; None: they are dropped unread
  */
private[core] final class KeyRun[B](
    aggregation: Aggregation[B, _],
    codec: Codec[Cell[B]],
    segments: Segments,
    pieceBytes: Int = 8192,
    heldPieces: Int = 1024,
    leaves: Option[B => Unit] = None)
    extends Buffers[B] {
  private val pieces = new ArrayBuffer[RunPiece[B]]
  private val root   = new RootBlocks(segments)

  /** Cells at the front that have left; they are all in the first piece. */
  private var hidden = 0
  private var count  = 0

  /** Pieces that were read since the last time that some were let go of. */
  private var readPieces = 0

  /** Cells before each piece, hidden ones included, and at the end all; null: to be counted. */
  private var starts: Array[Int] = _

  /** Pieces in memory. */
  private[aggregate] def held: Int = pieces.count(_.cells != null)

  def size: Int        = count
  def isEmpty: Boolean = count == 0

  def apply(index: Int): Cell[B] = at(index)((piece, place) => loaded(piece)(place))

  /** The first index whose position is not below. */
  def indexOf(position: Long): Int = {
    val i = FirstIndex.where(pieces.size)(j => pieces(j).last >= position)
    if (i == pieces.size) count
    else {
      val inside =
        if (pieces(i).first >= position) 0
        else FirstIndex.where(loaded(pieces(i)).size)(j => pieces(i).cells(j).position >= position)
      math.max(before(i) + inside, 0)
    }
  }

  /** The index of the cell with this position, or -1. */
  def indexAt(position: Long): Int = {
    val index = indexOf(position)
    if (index < count && apply(index).position == position) index else -1
  }

  /** Puts a cell where it belongs and gives its index. */
  def insert(cell: Cell[B]): Int = {
    if (hidden > 0 && !apply(0).isBefore(cell)) forgetHidden()
    if (pieces.isEmpty) addPiece()
    val i     = pieceFor(cell)
    val piece = pieces(i)
    val cells = loaded(piece)
    val place =
      if (cells.isEmpty || cells.last.isBefore(cell)) cells.size
      else FirstIndex.where(cells.size)(j => cell.isBefore(cells(j)))
    piece.insert(place, cell)
    count += 1
    if (starts != null) (i + 1 until starts.length).foreach(starts(_) += 1)
    before(i) + place
  }

  /** The last piece that begins before the cell, or the first. */
  private def pieceFor(cell: Cell[B]): Int = FirstIndex.where(pieces.size - 1) { i =>
    val next = pieces(i + 1)
    cell.position < next.first || (cell.position == next.first && cell.isBefore(loaded(next).head))
  }

  /** A cell of the same position with more in it.
    *
    * @param added
    *   what it has more
    */
  def replace(index: Int, cell: Cell[B], added: B): Unit = at(index) { (piece, place) =>
    loaded(piece)
    piece.replace(place, cell, added)
  }

  def value(from: Int, until: Int): B = {
    var sum = Option.empty[B]
    def add(buffer: B): Unit =
      sum = Some(sum.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer)))
    ranges(from, until) { (piece, low, high) =>
      if (low == 0 && high == piece.size) {
        if (!piece.knowsTotal) loaded(piece)
        add(piece.total)
      } else {
        val cells = loaded(piece)
        (low until high).foreach(i => add(cells(i).buffer))
      }
    }
    sum.getOrElse(aggregation.zero)
  }

  /** Messages of a range. */
  def messages(from: Int, until: Int): Long = {
    var sum = 0L
    ranges(from, until) { (piece, low, high) =>
      sum +=
        (if (low == 0 && high == piece.size) piece.messages
         else (low until high).iterator.map(loaded(piece)(_).count).sum)
    }
    sum
  }

  /** Cells of a range that were accepted after a stamp, oldest position first. */
  def acceptedAfter(stamp: Long, from: Int, until: Int): Iterator[Cell[B]] =
    some(from, until, _.maxStamp > stamp).filter(_.stamp > stamp)

  /** Cells of a range that were judged by a watermark at or after a position. */
  def judgedFrom(position: Long, from: Int, until: Int): Iterator[Cell[B]] =
    some(from, until, _.maxJudged >= position).filter(_.judged >= position)

  /** The one of a range that was accepted first. */
  def earliest(from: Int, until: Int): Option[Cell[B]] = {
    val stamps = Seq.newBuilder[(Long, RunPiece[B], Int, Int)]
    ranges(from, until) { (piece, low, high) =>
      val isWhole = low == 0 && high == piece.size
      stamps += ((
        if (isWhole) piece.minStamp else loaded(piece).slice(low, high).iterator.map(_.stamp).min,
        piece,
        low,
        high))
    }
    stamps.result().minByOption(_._1).flatMap { case (stamp, piece, low, high) =>
      loaded(piece).slice(low, high).find(_.stamp == stamp)
    }
  }

  /** The smallest stamp from an index on. */
  def minStamp(from: Int): Long = {
    var min = Long.MaxValue
    ranges(from, count) { (piece, low, high) =>
      val stamp =
        if (low == 0) piece.minStamp else loaded(piece).slice(low, high).iterator.map(_.stamp).min
      min = math.min(min, stamp)
    }
    min
  }

  /** The latest watermark that judged a cell later than its position. */
  def maxJudged: Long = pieces.iterator.map(_.maxJudged).maxOption.getOrElse(Cell.NotLate)

  /** Puts one cell in the place of all below an index. */
  def fold(until: Int): Unit = if (until > 1) {
    val oldest = apply(0)
    val all = new Cell(
      oldest.position,
      Cell.Nothing,
      oldest.stamp,
      Cell.NotLate,
      None,
      messages(0, until),
      value(0, until),
      Cell.Nothing)
    dropFirst(until)
    insert(all)
    ()
  }

  /** Pieces are read as their cells are taken: the run must not change in between. */
  private def some(from: Int, until: Int, reads: RunPiece[B] => Boolean): Iterator[Cell[B]] = {
    val found = new ArrayBuffer[RunPiece[B]](2)
    var first = 0
    var last  = 0 // in the last piece
    ranges(from, until) { (piece, low, high) =>
      if (reads(piece)) {
        if (found.isEmpty) first = low
        found += piece
        last = high
      }
    }
    new KeyRun.Some(found, first, last, loaded)
  }

  def cells(from: Int, until: Int): Iterator[Cell[B]] = some(from, until, _ => true)

  def buffers(from: Int, until: Int): Iterator[B] = cells(from, until).map(_.buffer)

  /** Lets go of the oldest cells. */
  def dropFirst(cells: Int): Unit = {
    leaves.foreach(buffers(0, cells).foreach(_))
    count -= cells
    hidden += cells
    while (pieces.nonEmpty && hidden >= pieces(0).size) {
      hidden -= pieces(0).size
      remove(pieces(0))
      pieces.remove(0)
      starts = null
    }
    if (pieces.isEmpty) root.clear()
  }

  def clear(): Unit = dropFirst(count)

  /** From the first cell whose position is not below. Pieces are read where their first and last positions do not tell enough. */
  def cursor(position: Long): RunCursor = new Cursor(indexOf(position))

  private final class Cursor(private var index: Int) extends RunCursor {
    private var i                            = if (index < count) pieceAt(index + hidden) else pieces.size
    private var place                        = if (index < count) index + hidden - counted(i) else 0
    private var inside: ArrayBuffer[Cell[B]] = _ // the cells of its piece, once they are needed

    def at: Int          = index
    def isAtEnd: Boolean = index >= count
    def position: Long   = if (place == 0) pieces(i).first else cells(place).position

    def seek(position: Long): Unit = {
      while (!isAtEnd && pieces(i).last < position) leavePiece()
      while (!isAtEnd && this.position < position) {
        place += 1
        index += 1
      }
    }

    private def leavePiece(): Unit = {
      index += pieces(i).size - place
      i += 1
      place = 0
      inside = null
    }

    private def cells: ArrayBuffer[Cell[B]] = {
      if (inside == null) inside = loaded(pieces(i))
      inside
    }
  }

  // ---- pieces

  /** Calls back with each piece of a range and the places of the range in it. */
  private def ranges(from: Int, until: Int)(body: (RunPiece[B], Int, Int) => Unit): Unit = if (from < until) {
    val (low, high) = (from + hidden, until + hidden)
    var i           = pieceAt(low)
    while (i < pieces.size && counted(i) < high) {
      body(pieces(i), math.max(low - counted(i), 0), math.min(high - counted(i), pieces(i).size))
      i += 1
    }
  }

  private def at[T](index: Int)(body: (RunPiece[B], Int) => T): T = {
    val i = pieceAt(index + hidden)
    body(pieces(i), index + hidden - counted(i))
  }

  /** The piece that has the cell of this number, hidden ones counted. */
  private def pieceAt(number: Int): Int = FirstIndex.where(pieces.size)(i => counted(i + 1) > number)

  private def before(i: Int): Int = counted(i) - hidden

  private def counted(i: Int): Int = {
    if (starts == null) starts = pieces.iterator.map(_.size).scanLeft(0)(_ + _).toArray
    starts(i)
  }

  private def addPiece(): Unit = {
    val piece = new RunPiece(RunPiece.Inside, aggregation)
    piece.cells = new ArrayBuffer
    pieces += piece
    starts = null
  }

  private def loaded(piece: RunPiece[B]): ArrayBuffer[Cell[B]] = {
    if (piece.cells == null) {
      if (readPieces >= heldPieces) letGo()
      readPieces += 1
      piece.cells = segments.read(piece.id)(in => ArrayBuffer.fill(in.fitting(piece.size.toLong))(codec.read(in)))
    }
    piece.cells
  }

  /** A sweep over all of a long run holds a part of it. */
  private def letGo(): Unit = {
    pieces.foreach(piece => if (!piece.changed && piece.id != RunPiece.Inside) piece.cells = null)
    readPieces = 0
  }

  private def remove(piece: RunPiece[B]): Unit = if (piece.id != RunPiece.Inside) segments.remove(piece.id)

  private def forgetHidden(): Unit = {
    loaded(pieces(0))
    pieces(0).dropFirst(hidden)
    hidden = 0
    starts = null
  }

  // ---- bytes

  /** Writes the pieces that changed, and into `out` the root. */
  def write(out: ByteWriter): Unit = {
    if (hidden > 0 && (pieces(0).changed || pieces(0).id == RunPiece.Inside)) forgetHidden()
    val written = pieces.toVector.flatMap(piece => if (piece.changed) store(piece) else Seq(piece))
    pieces.clear()
    pieces ++= written
    starts = null
    out.count(hidden.toLong)
    root.write(pieces, (piece: RunPiece[B]) => piece.id, out)(_.writeRoot(_, codec))
  }

  private def store(piece: RunPiece[B]): Seq[RunPiece[B]] = ByteWriter.lent { out =>
    val ends = new Array[Int](piece.size)
    piece.cells.indices.foreach { i =>
      codec.write(piece.cells(i), out)
      ends(i) = out.size
    }
    val isAlone = pieces.size == 1
    if (isAlone && out.size <= pieceBytes) {
      remove(piece)
      Seq(piece.part(RunPiece.Inside, 0, piece.size))
    } else if (out.size <= 2 * pieceBytes) {
      val id = if (piece.id == RunPiece.Inside) segments.newId() else piece.id
      Seq(storedAs(piece.part(id, 0, piece.size), out))
    } else {
      remove(piece)
      KeyRun.cut(ends, pieceBytes).map { case (from, until) =>
        val part = piece.part(segments.newId(), from, until)
        out.clear()
        part.cells.foreach(codec.write(_, out))
        storedAs(part, out)
      }
    }
  }

  /** @param written
    *   its cells
    */
  private def storedAs(part: RunPiece[B], written: ByteWriter): RunPiece[B] = {
    if (aggregation.keeping.isEmpty) part.total // known from now on without reading the piece
    segments.write(part.id, written)
    part
  }

  def read(in: ByteReader): Unit = {
    hidden = in.count().toInt
    pieces ++= root.read(in, (piece: RunPiece[B]) => piece.id)(RunPiece.readRoot(_, codec, aggregation))
    count = pieces.iterator.map(_.size).sum - hidden
  }
}

/** Goes from cell to cell of a run, only forward; the run must not change meanwhile. */
private[core] trait RunCursor {

  /** Index of the cell that it is at. */
  def at: Int
  def isAtEnd: Boolean

  /** Of the cell that it is at. */
  def position: Long

  /** Moves on to the first cell whose position is not below, if it is not there yet. */
  def seek(position: Long): Unit
}

private[core] object KeyRun {

  /** The cells of some pieces, but for those in front of the first and those behind the last. */
  private final class Some[B](
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

  /** Ranges of cells that fill a piece each.
    *
    * @param ends
    *   of the cells, in bytes
    */
  private def cut(ends: collection.IndexedSeq[Int], pieceBytes: Int): Seq[(Int, Int)] = {
    val starts = ArrayBuffer(0)
    var filled = 0
    ends.indices.foreach { i =>
      if (ends(i) - filled > pieceBytes && i > starts.last) {
        starts += i
        filled = ends(i - 1)
      }
    }
    starts.toSeq.zip(starts.toSeq.tail :+ ends.size)
  }
}
