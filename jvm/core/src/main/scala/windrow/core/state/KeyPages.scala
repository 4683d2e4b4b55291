package windrow.core.state

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

/** The values of one key in order, in pages of neighbors: a B+-tree of height two whose root is this object. Only pages
  * that are touched or due are read, and only changed pages are written. A few values are stored inside the root.
  */
private[core] final class KeyPages[P, T, S](paged: Paged[P, T, S], segments: Segments, pageBytes: Int = 4096) {
  import KeyPages._
  import paged.order

  /** @param first
    *   lower bound of the places of its values
    * @param kept
    *   values; null if not read yet
    * @param told
    *   summary of the values; None if it must be computed because they changed or are stored inside the root
    */
  private final class Page(val id: Long, var first: P, private var kept: ArrayBuffer[T], var told: Option[S]) {
    var changed = false

    def values: ArrayBuffer[T] = {
      if (kept == null) kept = segments.read(id) { in =>
        val read = readValues(in, in.count())
        if (read.isEmpty) throw in.damaged("a page is empty") else read
      }
      kept
    }

    /** The index of the first value at or after a place. */
    def indexOf(place: P): Int = FirstIndex.where(values.size)(i => !order.lt(paged.at(values(i)), place))

    def hasAt(index: Int, place: P): Boolean = index < values.size && order.equiv(paged.at(values(index)), place)

    def tells: S = told.getOrElse {
      val now = paged.tell(values.iterator)
      told = Some(now)
      now
    }

    def touch(): Unit = {
      changed = true
      told = None
    }

    def insert(index: Int, value: T): Unit = {
      val now = told.flatMap(paged.added(_, value))
      values.insert(index, value)
      touch()
      told = now
    }

    def replace(by: ArrayBuffer[T]): Unit = {
      kept = by
      first = paged.at(by.head)
      touch()
    }
  }

  private val pages = new ArrayBuffer[Page]

  private val root = new RootBlocks(segments)

  private val sums = new Summaries[S](pages.size, pages(_).tells, paged.both)

  /** The state of this object differs from the stored state. */
  private var rewritten = false

  def isEmpty: Boolean = pages.isEmpty

  /** A value was put or removed, or a summary recomputed, since the last write. */
  def isChanged: Boolean = rewritten

  /** Summaries of the pages with their current values. */
  def told: Iterator[S] = pages.iterator.map(_.tells)

  /** The summary of all values; None if there are none. */
  def tells: Option[S] = sums.all

  /** Recomputes the summaries that do not meet `isEnough`; this reads their pages. */
  def tellAnew(isEnough: S => Boolean): Unit = {
    pages.foreach(page => page.told = page.told.filter(isEnough))
    sums.moved()
  }

  def first: Option[T] = pages.headOption.map(_.values.head)
  def last: Option[T]  = pages.lastOption.map(_.values.last)

  def all: Iterator[T] = pages.iterator.flatMap(_.values)

  /** The values at and after a place. Values must not be put or removed during the iteration, nor during [[before]]. */
  def from(place: P): Iterator[T] = {
    val i = math.max(pageOf(place), 0)
    Iterator.range(i, pages.size).flatMap { at =>
      val values = pages(at).values
      Iterator.range(if (at == i) pages(at).indexOf(place) else 0, values.size).map(values(_))
    }
  }

  /** The values before a place, in descending order, without those of pages whose summary does not meet `among`. */
  def before(place: P, among: S => Boolean = _ => true): Iterator[T] = {
    val i = pageOf(place)
    Iterator.range(i, -1, -1).filter(pages(_).told.forall(among)).flatMap { at =>
      val values = pages(at).values
      Iterator.range((if (at == i) pages(at).indexOf(place) else values.size) - 1, -1, -1).map(values(_))
    }
  }

  /** The last value before a place, followed by those at and after it as long as they meet a condition. */
  def near(place: P)(isNear: T => Boolean): Vector[T] = {
    @tailrec def onwards(i: Int, index: Int, found: Vector[T]): Vector[T] =
      if (i == pages.size) found
      else if (index == pages(i).values.size) onwards(i + 1, 0, found)
      else {
        val next = pages(i).values(index)
        if (isNear(next)) onwards(i, index + 1, found :+ next) else found
      }
    val i     = math.max(pageOf(place), 0)
    val index = if (pages.isEmpty) 0 else pages(i).indexOf(place)
    val none  = Vector.empty[T]
    if (index > 0) onwards(i, index, none :+ pages(i).values(index - 1))
    else onwards(i, index, if (i > 0) none :+ pages(i - 1).values.last else none)
  }

  def get(place: P): Option[T] = {
    val i = pageOf(place)
    if (i < 0) None
    else {
      val index = pages(i).indexOf(place)
      Option.when(pages(i).hasAt(index, place))(pages(i).values(index))
    }
  }

  /** Adds a value; replaces the value at the same place if there is one. */
  def put(value: T): Unit = {
    val place = paged.at(value)
    if (pages.isEmpty) pages += new Page(Inside, place, new ArrayBuffer, None)
    val i     = math.max(pageOf(place), 0)
    val page  = pages(i)
    val index = page.indexOf(place)
    val isNew = !page.hasAt(index, place)
    if (isNew) page.insert(index, value)
    else {
      page.values(index) = value
      page.touch()
    }
    if (isNew) segments.grown += 1
    if (index == 0) page.first = place
    rewritten = true
    sums.changed(i)
    if (page.values.size > MostInPage) split(i)
  }

  /** Halves a page that has grown in this step. */
  private def split(i: Int): Unit = {
    val (page, half) = (pages(i), pages(i).values.size / 2)
    val rest         = new Page(Inside, paged.at(page.values(half)), page.values.drop(half), None)
    page.values.dropRightInPlace(page.values.size - half)
    rest.changed = true
    page.touch()
    pages.insert(i + 1, rest)
    if (i + 2 == pages.size) sums.changed(i + 1) else sums.moved()
  }

  /** Removes the value at the place of `value`. */
  def remove(value: T): Unit = {
    val place = paged.at(value)
    val i     = pageOf(place)
    if (i >= 0) {
      val page  = pages(i)
      val index = page.indexOf(place)
      if (page.hasAt(index, place)) {
        page.values.remove(index)
        segments.grown -= 1
        touched(i)
        if (page.values.isEmpty) drop(i)
      }
    }
  }

  private def drop(i: Int): Unit = {
    if (i == 0) sums.droppedFirst() else sums.moved()
    forget(pages(i))
    pages.remove(i): Unit
    if (pages.isEmpty) root.clear()
  }

  /** Replaces each value by the result of `by`, at the same place, or removes it if that is None. Skips pages whose
    * summary does not meet `among`.
    *
    * @param among
    *   must hold for the joint summary of neighbors if replacing or removing one of them is possible
    */
  def rewrite(among: S => Boolean)(by: T => Option[T]): Unit = {
    var i = sums.first(0)(among)
    while (i >= 0) {
      val before = pages(i).values
      val after  = before.flatMap(by)
      segments.grown -= before.size - after.size
      rewritten = true
      val next = if (after.isEmpty) i else i + 1
      if (after.isEmpty) drop(i)
      else {
        pages(i).replace(after)
        sums.changed(i)
      }
      i = sums.first(next)(among)
    }
  }

  /** Removes all values without reading them, so `Segments.grown` does not count them. */
  def clear(): Unit = {
    pages.foreach(forget)
    root.clear()
    replace(Nil)
    rewritten = true
  }

  /** The values of pages that have changed or whose summary is due. The summaries of these pages are recomputed later.
    */
  def due(isDue: S => Boolean): Vector[T] =
    pages.iterator.filter(page => page.changed || page.told.forall(isDue)).foldLeft(Vector.empty[T]) { (found, page) =>
      page.told = None
      sums.moved()
      if (page.id != Inside) rewritten = true
      found ++ page.values
    }

  /** The index of the page that holds a place or would hold it; -1 if it precedes all pages. */
  private def pageOf(place: P): Int = FirstIndex.where(pages.size)(i => order.lt(place, pages(i).first)) - 1

  private def touched(i: Int): Unit = {
    pages(i).touch()
    sums.changed(i)
    rewritten = true
  }

  private def forget(page: Page): Unit = if (page.id != Inside) segments.remove(page.id)

  // ---- bytes

  /** Writes the values of a single small page inline; otherwise writes a 0 and the root's entries of the pages. */
  def write(out: ByteWriter): Unit = {
    if (pages.size == 1 && pages.head.changed) encoded(pages.head)(writeOne(pages.head, _, _, out))
    else {
      replace(pages.toVector.flatMap(page => if (page.changed) encoded(page)(stored(page, _, _)) else Seq(page)))
      if (pages.size == 1 && pages.head.id == Inside) {
        root.clear()
        out.count(pages.head.values.size.toLong)
        pages.head.values.foreach(paged.values.write(_, out))
      } else writeRoot(out)
    }
    rewritten = false
  }

  /** Writes the only page, which has changed: inside the root unless it exceeds `pageBytes`. */
  private def writeOne(page: Page, values: ByteWriter, starts: Array[Int], out: ByteWriter): Unit =
    if (values.size <= pageBytes) {
      forget(page)
      root.clear()
      replace(Seq(new Page(Inside, page.first, page.values, page.told)))
      out.count(page.values.size.toLong)
      out.append(values.array, 0, values.size)
    } else {
      replace(stored(page, values, starts))
      writeRoot(out)
    }

  private def writeRoot(out: ByteWriter): Unit = {
    out.count(InPages)
    root.write(pages, (page: Page) => page.id, out) { (page, to) =>
      to.count(page.id)
      paged.places.write(page.first, to)
      paged.told.write(page.tells, to)
    }
  }

  private def replace(by: Seq[Page]): Unit = {
    pages.clear()
    pages ++= by
    sums.moved()
  }

  /** @param use
    *   receives the bytes of all values and the index at which each value starts
    */
  private def encoded[A](page: Page)(use: (ByteWriter, Array[Int]) => A): A = ByteWriter.lent { out =>
    val starts = new Array[Int](page.values.size)
    starts.indices.foreach { i =>
      starts(i) = out.size
      paged.values.write(page.values(i), out)
    }
    use(out, starts)
  }

  /** Writes a page to the store, cut into equal parts if it exceeds `pageBytes`. */
  private def stored(page: Page, values: ByteWriter, starts: Array[Int]): Seq[Page] = {
    val parts = math.max(1, values.size / pageBytes)
    val cuts =
      (0 to parts).map(k => FirstIndex.where(starts.length)(i => starts(i) >= values.size.toLong * k / parts)).distinct
    cuts.zip(cuts.tail).map { case (from, until) =>
      val id   = if (from == 0 && page.id != Inside) page.id else segments.newId()
      val end  = if (until < starts.length) starts(until) else values.size
      val part = new ByteWriter(pageBytes * 2)
      part.count((until - from).toLong)
      part.append(values.array, starts(from), end - starts(from))
      segments.write(id, part)
      new Page(id, paged.at(page.values(from)), page.values.slice(from, until), None)
    }
  }

  private def readValues(in: ByteReader, size: Long): ArrayBuffer[T] =
    ArrayBuffer.fill(in.fitting(size))(paged.values.read(in))

  def read(in: ByteReader): Unit = {
    val size = in.count()
    if (size != InPages) {
      val values = readValues(in, size)
      pages += new Page(Inside, paged.at(values.head), values, None)
    } else
      pages ++= root.read(in, (page: Page) => page.id)(of =>
        new Page(of.count(), paged.places.read(of), null, Some(paged.told.read(of))))
  }
}

/** Writes and reads the root of a key's pages. */
private[core] final class KeyPagesCodec[P, T, S](paged: Paged[P, T, S], segments: Segments)
    extends Codec[KeyPages[P, T, S]] {
  def empty: KeyPages[P, T, S]                               = new KeyPages(paged, segments)
  def write(pages: KeyPages[P, T, S], out: ByteWriter): Unit = pages.write(out)

  def read(in: ByteReader): KeyPages[P, T, S] = {
    val pages = empty
    pages.read(in)
    pages
  }
}

private object KeyPages {

  /** The id of a page that is stored in the root. */
  val Inside = 0L

  /** Written instead of a number of values if these are in pages. */
  val InPages = 0L

  val MostInPage = 512
}
