package windrow.core.aggregate

import scala.collection.mutable.ArrayBuffer
import windrow.core.state.{Codec, FirstIndex, PagedRun, Segments}

/** The cells of one key in order, in pages with partial aggregates. Cells are identified by their index; 0 is the
  * oldest one that has not been dropped. At most `heldPages` unchanged pages stay in memory.
  *
  * With n cells, inserting and querying a range cost O(√n), and O(1) amortized at the end. This is the finger B-tree of
  * Tangwongsan, Hirzel and Schneider, Optimal and General Out-of-Order Sliding-Window Aggregation (VLDB 2019), but
  * flat, because each level less saves a read of the store.
  *
  * @param leaves
  *   called with the buffer of each dropped cell; None drops cells without reading them
  */
private[core] final class KeyRun[B](
    aggregation: Aggregation[B, _],
    codec: Codec[Cell[B]],
    segments: Segments,
    val pageBytes: Int = 8192,
    heldPages: Int = 1024,
    leaves: Option[B => Unit] = None)
    extends PagedRun[Cell[B], CellPage[B]](codec, segments, pageBytes) with Buffers[B] {

  /** Number of pages read since pages were last released. */
  private var readPages = 0

  /** Number of cells before each page, including hidden ones, and the total at the end; null if outdated. */
  private var starts: Array[Int] = _

  /** Number of pages in memory. */
  private[aggregate] def held: Int = pages.count(_.isRead)

  def size: Int = count.toInt

  def apply(index: Int): Cell[B] = at(index)((page, place) => loaded(page)(place))

  /** The first index with a position at or above `position`. */
  def indexOf(position: Long): Int = {
    val i = FirstIndex.where(pages.size)(j => pages(j).last >= position)
    if (i == pages.size) size
    else {
      val inside =
        if (pages(i).first >= position) 0
        else {
          val cells = loaded(pages(i))
          FirstIndex.where(cells.size)(j => cells(j).position >= position)
        }
      math.max(before(i) + inside, 0)
    }
  }

  /** The index of the cell at a position, or -1. */
  def indexAt(position: Long): Int = {
    val index = indexOf(position)
    if (index < size && apply(index).position == position) index else -1
  }

  /** Inserts a cell in order and returns its index. */
  def insert(cell: Cell[B]): Int = {
    if (hidden > 0 && !apply(0).isBefore(cell, aggregation)) deleteHidden()
    if (pages.isEmpty) {
      addPage(ArrayBuffer(cell))
      0
    } else {
      val i     = pageFor(cell)
      val cells = loaded(pages(i))
      val place =
        if (cells.last.isBefore(cell, aggregation)) cells.size
        else FirstIndex.where(cells.size)(j => cell.isBefore(cells(j), aggregation))
      insertInto(i, place, cell)
      before(i) + place
    }
  }

  /** The index of the last page that starts before the cell, or 0. */
  private def pageFor(cell: Cell[B]): Int = FirstIndex.where(pages.size - 1) { i =>
    val next = pages(i + 1)
    cell.position < next.first || (cell.position == next.first && cell.isBefore(loaded(next).head, aggregation))
  }

  /** Replaces a cell by one at the same position that also contains `added`. */
  def replace(index: Int, cell: Cell[B], added: B): Unit = at(index) { (page, place) =>
    loaded(page)
    page.replace(place, cell, added)
  }

  def value(from: Int, until: Int): B = {
    var sum = Option.empty[B]
    def add(buffer: B): Unit =
      sum = Some(sum.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer)))
    ranges(from, until) { (page, low, high) =>
      if (low == 0 && high == page.size) {
        if (!page.knowsTotal) loaded(page)
        add(page.total)
      } else {
        val cells = loaded(page)
        (low until high).foreach(i => add(cells(i).buffer))
      }
    }
    sum.getOrElse(aggregation.zero)
  }

  /** The number of messages in a range. */
  def messages(from: Int, until: Int): Long = {
    var sum = 0L
    ranges(from, until) { (page, low, high) =>
      sum +=
        (if (low == 0 && high == page.size) page.messages
         else (low until high).iterator.map(loaded(page)(_).count).sum)
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
    val stamps = Seq.newBuilder[(Long, CellPage[B], Int, Int)]
    ranges(from, until) { (page, low, high) =>
      val isWhole = low == 0 && high == page.size
      stamps += ((if (isWhole) page.minStamp else minStamp(page, low, high), page, low, high))
    }
    stamps.result().minByOption(_._1).flatMap { case (stamp, page, low, high) =>
      loaded(page).slice(low, high).find(_.stamp == stamp)
    }
  }

  /** The smallest stamp from an index on. */
  def minStamp(from: Int): Long = {
    var min = Long.MaxValue
    ranges(from, size) { (page, low, high) =>
      min = math.min(min, if (low == 0) page.minStamp else minStamp(page, low, high))
    }
    min
  }

  private def minStamp(page: CellPage[B], low: Int, high: Int): Long = {
    val cells = loaded(page)
    var min   = Long.MaxValue
    (low until high).foreach(i => min = math.min(min, cells(i).stamp))
    min
  }

  /** The latest watermark that judged a cell after its position. */
  def maxJudged: Long = pages.iterator.map(_.maxJudged).maxOption.getOrElse(Cell.NotLate)

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

  /** Cells of a range from pages that meet `reads`. Pages are read lazily, so the run must not change during the
    * iteration.
    */
  private def some(from: Int, until: Int, reads: CellPage[B] => Boolean): Iterator[Cell[B]] = {
    val found = new ArrayBuffer[CellPage[B]](2)
    var first = 0
    var last  = 0 // in the last page
    ranges(from, until) { (page, low, high) =>
      if (reads(page)) {
        if (found.isEmpty) first = low
        found += page
        last = high
      }
    }
    new CellsOfPages(found, first, last, loaded)
  }

  def cells(from: Int, until: Int): Iterator[Cell[B]] = some(from, until, _ => true)

  def buffers(from: Int, until: Int): Iterator[B] = cells(from, until).map(_.buffer)

  /** Drops the oldest cells. */
  def dropFirst(cells: Int): Unit = {
    leaves.foreach(buffers(0, cells).foreach(_))
    removeFirst(cells)
  }

  def clear(): Unit = dropFirst(size)

  /** A cursor at the first cell at or above a position. It reads only pages whose first and last positions do not
    * suffice.
    */
  def cursor(position: Long): RunCursor = new Cursor(indexOf(position))

  private final class Cursor(private var index: Int) extends RunCursor {
    private var i                            = if (index < size) pageAt(index + hidden) else pages.size
    private var place                        = if (index < size) index + hidden - counted(i) else 0
    private var inside: ArrayBuffer[Cell[B]] = _ // the cells of its page; null until needed

    def at: Int          = index
    def isAtEnd: Boolean = index >= size
    def position: Long   = if (place == 0) pages(i).first else cells(place).position

    def seek(position: Long): Unit = {
      while (!isAtEnd && pages(i).last < position) leavePage()
      while (!isAtEnd && this.position < position) {
        place += 1
        index += 1
      }
    }

    private def leavePage(): Unit = {
      index += pages(i).size - place
      i += 1
      place = 0
      inside = null
    }

    private def cells: ArrayBuffer[Cell[B]] = {
      if (inside == null) inside = loaded(pages(i))
      inside
    }
  }

  // ---- pages

  /** Calls `body` with each page of a range and the part of the range in it. */
  private def ranges(from: Int, until: Int)(body: (CellPage[B], Int, Int) => Unit): Unit = if (from < until) {
    val (low, high) = (from + hidden, until + hidden)
    var i           = pageAt(low)
    while (i < pages.size && counted(i) < high) {
      body(pages(i), math.max(low - counted(i), 0), math.min(high - counted(i), pages(i).size))
      i += 1
    }
  }

  private def at[T](index: Int)(body: (CellPage[B], Int) => T): T = {
    val i = pageAt(index + hidden)
    body(pages(i), index + hidden - counted(i))
  }

  /** The index of the page that contains a cell, by the cell's index including hidden cells. */
  private def pageAt(number: Int): Int = FirstIndex.where(pages.size)(i => counted(i + 1) > number)

  private def before(i: Int): Int = counted(i) - hidden

  private def counted(i: Int): Int = {
    if (starts == null) starts = pages.iterator.map(_.size).scanLeft(0)(_ + _).toArray
    starts(i)
  }

  override protected def pageGrew(i: Int, grown: Int): Unit =
    if (starts != null && i + 1 < starts.length) (i + 1 until starts.length).foreach(starts(_) += grown)
    else starts = null

  override protected def firstPageRemoved(): Unit = pagesMoved()

  override protected def pagesMoved(): Unit = {
    super.pagesMoved()
    starts = null
  }

  protected def newPage(): CellPage[B] = new CellPage(aggregation)

  /** Releases pages, so that a sweep over a long run only holds part of it. */
  override protected def wasRead(page: CellPage[B]): Unit = {
    readPages += 1
    if (readPages > heldPages) {
      releaseAllBut(page)
      readPages = 1
    }
  }
}
