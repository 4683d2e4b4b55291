package windrow.core.state

import scala.collection.mutable.ArrayBuffer

/** Values in order, in pages of neighbors: a B+-tree of height two whose root is this object. Only touched pages are
  * read, and only changed ones are written. A few values are stored inside the root. Values removed at the front are
  * hidden at once and deleted page by page.
  *
  * A subclass decides where a value belongs, what the root stores about a page, and which pages stay in memory.
  *
  * @param insideBytes
  *   maximum size of values that are stored inside the root
  */
private[core] abstract class PagedRun[T, P <: Page[T]](codec: Codec[T], segments: Segments, insideBytes: Int) {
  protected val pages = new ArrayBuffer[P](1)

  private val root = new RootBlocks(segments)

  /** Summaries of ranges of pages, which each change of a page updates. */
  private var ranges = List.empty[Summaries[_]]

  /** Number of removed values at the front; all of them are in the first page. */
  protected var hidden = 0

  /** Number of values, without the removed ones. */
  protected var count = 0L

  protected def newPage(): P

  /** A page that exceeds twice this size is cut when it is written. */
  protected def pageBytes: Int

  /** A page was read, so that others can be released. */
  protected def wasRead(page: P): Unit = ()

  def isEmpty: Boolean = count == 0

  // ---- changes of pages

  protected final def summaries[S](of: P => S, both: (S, S) => S): Summaries[S] = {
    val made = new Summaries[S](pages.size, i => of(pages(i)), both)
    ranges ::= made
    made
  }

  /** @param grown
    *   number of values that the page has more than before
    */
  protected final def pageChanged(i: Int, grown: Int): Unit = {
    ranges.foreach(_.changed(i))
    pageGrew(i, grown)
  }

  protected def pageGrew(i: Int, grown: Int): Unit = ()

  protected def firstPageRemoved(): Unit = ranges.foreach(_.droppedFirst())

  /** Pages have other indexes. */
  protected def pagesMoved(): Unit = ranges.foreach(_.moved())

  /** The values of a page, which are read if necessary. */
  protected final def loaded(page: P): ArrayBuffer[T] = {
    if (!page.isRead) {
      page.receive(segments.read(page.id)(readValues(_, page.size.toLong)))
      wasRead(page)
    }
    page.values
  }

  /** Releases the pages whose values are stored, except one. */
  protected final def releaseAllBut(page: P): Unit = pages.foreach { other =>
    if (other.isRead && !other.changed && !other.isInside && (other ne page)) other.release()
  }

  /** Inserts a value into a page that is read. */
  protected final def insertInto(i: Int, index: Int, value: T): Unit = {
    pages(i).insert(index, value)
    count += 1
    pageChanged(i, 1)
  }

  /** Replaces the values of a page that is read by the same values and some more.
    *
    * @param all
    *   all values in order
    */
  protected final def insertInto(i: Int, all: ArrayBuffer[T], added: collection.IndexedSeq[T]): Unit = {
    pages(i).grow(all, added)
    count += added.size
    pageChanged(i, added.size)
  }

  /** Adds a page after the others. */
  protected final def addPage(values: ArrayBuffer[T]): Unit = {
    insertPage(pages.size, values)
    count += values.size
  }

  /** Halves a page that is read. */
  protected final def split(i: Int): Unit = {
    val (front, back) = pages(i).values.splitAt(pages(i).size / 2)
    pages(i).hold(front)
    pageChanged(i, -back.size)
    insertPage(i + 1, back)
  }

  private def insertPage(i: Int, values: ArrayBuffer[T]): Unit = {
    val page = newPage()
    page.hold(values)
    pages.insert(i, page)
    if (i + 1 == pages.size) pageChanged(i, values.size) else pagesMoved()
  }

  protected final def removePage(i: Int): Unit = {
    removeSegment(pages.remove(i))
    if (i == 0) firstPageRemoved() else pagesMoved()
    if (pages.isEmpty) root.clear()
  }

  private def removeSegment(page: P): Unit = if (!page.isInside) {
    segments.remove(page.id)
    page.id = Page.Inside
  }

  /** Removes the first values without reading them. */
  protected final def removeFirst(values: Int): Unit = {
    count -= values
    hidden += values
    while (pages.nonEmpty && hidden >= pages(0).size) {
      hidden -= pages(0).size
      removePage(0)
    }
  }

  /** Deletes the removed values of the first page. */
  protected final def deleteHidden(): Unit = if (hidden > 0) {
    pages(0).hold(PagedRun.part(loaded(pages(0)), hidden, pages(0).size))
    pageChanged(0, -hidden)
    hidden = 0
  }

  /** Removes all values without reading them. */
  protected final def removeAll(): Unit = {
    pages.foreach(removeSegment)
    root.clear()
    replacePages(Nil)
    hidden = 0
    count = 0
  }

  private def replacePages(by: Seq[P]): Unit = {
    pages.clear()
    pages ++= by
    pagesMoved()
  }

  // ---- bytes

  /** Writes the changed pages, and the root to `out`: the number of values and these, or 0 and the root's entries of the
    * pages.
    */
  def write(out: ByteWriter): Unit = {
    if (hidden > 0 && (pages(0).changed || pages(0).isInside)) deleteHidden()
    if (pages.size == 1 && pages(0).changed) encoded(pages(0))(writeOnly(pages(0), _, _, out))
    else if (pages.size == 1 && pages(0).isInside) {
      out.count(pages(0).size.toLong)
      pages(0).values.foreach(codec.write(_, out))
    } else {
      if (pages.exists(isUnstored))
        replacePages(pages.toVector.flatMap(page =>
          if (isUnstored(page)) encoded(page)(stored(page, _, _)) else Seq(page)))
      writeRoot(out)
    }
  }

  private def isUnstored(page: P): Boolean = page.changed || page.isInside

  /** Writes the only page, which has changed. */
  private def writeOnly(page: P, bytes: ByteWriter, starts: Array[Int], out: ByteWriter): Unit =
    if (bytes.size <= insideBytes) {
      removeSegment(page)
      root.clear()
      page.changed = false
      out.count(page.size.toLong)
      out.append(bytes.array, 0, bytes.size)
    } else {
      replacePages(stored(page, bytes, starts))
      writeRoot(out)
    }

  private def writeRoot(out: ByteWriter): Unit = {
    out.count(PagedRun.InPages)
    out.count(hidden.toLong)
    root.write(pages, (page: P) => page.id, out) { (page, to) =>
      to.count(page.id)
      to.count(page.size.toLong)
      page.write(to)
    }
  }

  /** @param use
    *   receives the bytes of all values, and the index at which each value starts
    */
  private def encoded[A](page: P)(use: (ByteWriter, Array[Int]) => A): A = ByteWriter.lent { out =>
    val starts = new Array[Int](page.size)
    starts.indices.foreach { i =>
      starts(i) = out.size
      codec.write(page.values(i), out)
    }
    use(out, starts)
  }

  /** Writes a page, and does not cut it. */
  protected final def store(page: P): Unit = encoded(page)((bytes, _) => storeAs(page, bytes))

  private def storeAs(page: P, bytes: ByteWriter): Unit = {
    if (page.isInside) page.id = segments.newId()
    segments.write(page.id, bytes)
    page.changed = false
  }

  /** Writes a page, cut into parts if it is large, and returns them. The last page is cut into full parts and a rest, so
    * that values in order fill one page after another; others are cut into equal parts.
    */
  private def stored(page: P, bytes: ByteWriter, starts: Array[Int]): Seq[P] = {
    val parts       = math.max(1, bytes.size / pageBytes)
    val partBytes   = if (page eq pages.last) pageBytes.toLong else bytes.size.toLong / parts + 1
    def cut(k: Int) = FirstIndex.where(starts.length)(i => starts(i) >= k * partBytes)
    val cuts        = if (parts == 1) Vector(0, page.size) else (0 to parts).map(cut).appended(page.size).distinct
    if (cuts.size == 2) {
      storeAs(page, bytes)
      Seq(page)
    } else {
      val all = page.values
      cuts.zip(cuts.tail).map { case (from, until) =>
        val part = if (from == 0) page else newPage()
        val end  = if (until < starts.length) starts(until) else bytes.size
        val some = new ByteWriter(end - starts(from))
        some.append(bytes.array, starts(from), end - starts(from))
        part.hold(all.slice(from, until))
        storeAs(part, some)
        part
      }
    }
  }

  def read(in: ByteReader): Unit = {
    val size = in.count()
    if (size != PagedRun.InPages) addInside(readValues(in, size))
    else {
      hidden = in.count().toInt
      pages ++= root.read(in, (page: P) => page.id)(readEntry)
      count = pages.iterator.map(_.size.toLong).sum - hidden
      if (hidden != 0 && (hidden < 0 || !pages.headOption.exists(_.size > hidden)))
        throw in.damaged(s"$hidden removed values are not in its first page")
    }
  }

  private def addInside(values: ArrayBuffer[T]): Unit = {
    addPage(values)
    pages(0).changed = false
  }

  private def readEntry(in: ByteReader): P = {
    val page = newPage()
    page.id = in.count()
    page.size = in.count().toInt
    if (page.isInside || page.size < 1) throw in.damaged(s"page ${page.id} has ${page.size} values")
    page.read(in)
    page
  }

  private def readValues(in: ByteReader, size: Long): ArrayBuffer[T] =
    ArrayBuffer.fill(in.fitting(size))(codec.read(in))
}

private[core] object PagedRun {

  /** Written instead of a number of values if these are in pages. */
  val InPages = 0L

  /** A copy of a part; `slice` copies values one by one through an iterator. */
  def part[T](values: ArrayBuffer[T], from: Int, until: Int): ArrayBuffer[T] = {
    val some = new ArrayBuffer[T](until - from)
    var i    = from
    while (i < until) {
      some += values(i)
      i += 1
    }
    some
  }
}
