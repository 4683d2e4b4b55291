package windrow.core.aggregate

import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{ByteReader, ByteWriter, Codec, FirstIndex, RootBlocks, Segments}

/** The cells of one key in order, in pieces of neighbors with partial aggregates: a B+-tree of height two whose root is
  * this object. Cells are identified by their index; 0 is the oldest one that has not been dropped.
  *
  * Only touched pieces are read, and only changed ones are written; a small run is stored in its root. At most
  * `heldPieces` unchanged pieces stay in memory. With n cells, inserting and querying a range cost O(√n), and O(1)
  * amortized at the end. This is the finger B-tree of Tangwongsan, Hirzel and Schneider, Optimal and General
  * Out-of-Order Sliding-Window Aggregation (VLDB 2019), but flat, because each level less saves a read of the store.
  *
  * @param leaves
  *   called with the buffer of each dropped cell; None drops cells without reading them
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

  /** Number of dropped cells at the front; all of them are in the first piece. */
  private var hidden = 0
  private var count  = 0

  /** Number of pieces read since pieces were last released. */
  private var readPieces = 0

  /** Number of cells before each piece, including hidden ones, and the total at the end; null if outdated. */
  private var starts: Array[Int] = _

  /** Number of pieces in memory. */
  private[aggregate] def held: Int = pieces.count(_.cells != null)

  def size: Int        = count
  def isEmpty: Boolean = count == 0

  def apply(index: Int): Cell[B] = at(index)((piece, place) => loaded(piece)(place))

  /** The first index with a position at or above `position`. */
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

  /** The index of the cell at a position, or -1. */
  def indexAt(position: Long): Int = {
    val index = indexOf(position)
    if (index < count && apply(index).position == position) index else -1
  }

  /** Inserts a cell in order and returns its index. */
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

  /** The index of the last piece that starts before the cell, or 0. */
  private def pieceFor(cell: Cell[B]): Int = FirstIndex.where(pieces.size - 1) { i =>
    val next = pieces(i + 1)
    cell.position < next.first || (cell.position == next.first && cell.isBefore(loaded(next).head))
  }

  /** Replaces a cell by one at the same position that also contains `added`. */
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

  /** The number of messages in a range. */
  def messages(from: Int, until: Int): Long = {
    var sum = 0L
    ranges(from, until) { (piece, low, high) =>
      sum +=
        (if (low == 0 && high == piece.size) piece.messages
         else (low until high).iterator.map(loaded(piece)(_).count).sum)
    }
    sum
  }

  /** Cells of a range that were accepted after a stamp, in order of position. */
  def acceptedAfter(stamp: Long, from: Int, until: Int): Iterator[Cell[B]] =
    some(from, until, _.maxStamp > stamp).filter(_.stamp > stamp)

  /** Cells of a range that were judged by a watermark at or after a position. */
  def judgedFrom(position: Long, from: Int, until: Int): Iterator[Cell[B]] =
    some(from, until, _.maxJudged >= position).filter(_.judged >= position)

  /** The cell of a range that was accepted first. */
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

  /** The latest watermark that judged a cell after its position. */
  def maxJudged: Long = pieces.iterator.map(_.maxJudged).maxOption.getOrElse(Cell.NotLate)

  /** Replaces all cells below an index by one. */
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

  /** Cells of a range from pieces that meet `reads`. Pieces are read lazily, so the run must not change during the
    * iteration.
    */
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
    new CellsOfPieces(found, first, last, loaded)
  }

  def cells(from: Int, until: Int): Iterator[Cell[B]] = some(from, until, _ => true)

  def buffers(from: Int, until: Int): Iterator[B] = cells(from, until).map(_.buffer)

  /** Drops the oldest cells. */
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

  /** A cursor at the first cell at or above a position. It reads only pieces whose first and last positions do not
    * suffice.
    */
  def cursor(position: Long): RunCursor = new Cursor(indexOf(position))

  private final class Cursor(private var index: Int) extends RunCursor {
    private var i                            = if (index < count) pieceAt(index + hidden) else pieces.size
    private var place                        = if (index < count) index + hidden - counted(i) else 0
    private var inside: ArrayBuffer[Cell[B]] = _ // the cells of its piece; null until needed

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

  /** Calls `body` with each piece of a range and the part of the range in it. */
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

  /** The index of the piece that contains a cell, by the cell's index including hidden cells. */
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

  /** Releases unchanged pieces, so that a sweep over a long run only holds part of it. */
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

  /** Writes the changed pieces, and the root to `out`. */
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
    *   the bytes of its cells
    */
  private def storedAs(part: RunPiece[B], written: ByteWriter): RunPiece[B] = {
    if (aggregation.keeping.isEmpty) part.total // so that it is known later without reading the piece
    segments.write(part.id, written)
    part
  }

  def read(in: ByteReader): Unit = {
    hidden = in.count().toInt
    pieces ++= root.read(in, (piece: RunPiece[B]) => piece.id)(RunPiece.readRoot(_, codec, aggregation))
    count = pieces.iterator.map(_.size).sum - hidden
  }
}

private[core] object KeyRun {

  /** Ranges of cells that fill one piece each.
    *
    * @param ends
    *   ends of the cells in bytes
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
