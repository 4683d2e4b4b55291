package windrow.core.state

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer
import windrow.core.time.Due

/** The values of one key by place, in pages with a summary each. */
private[core] final class KeyPages[P, T, S](paged: PageLayout[P, T, S], segments: Segments, val pageBytes: Int = 4096)
    extends PagedRun[T, SummarizedPage[P, T, S]](paged.values, segments, pageBytes) {
  import paged.order

  private val sums = summaries[S](summaryOf, paged.merged)

  /** The state of this object differs from the stored state. */
  private var rewritten = false

  protected def newPage(): SummarizedPage[P, T, S] = new SummarizedPage(paged)

  /** A value was put or removed, or a summary recomputed, since the last write. */
  def isChanged: Boolean = rewritten

  /** Summaries of the pages with their current values. */
  def pageSummaries: Iterator[S] = pages.iterator.map(summaryOf)

  /** The summary of all values; None if there are none. */
  def summary: Option[S] = sums.all

  private def summaryOf(page: SummarizedPage[P, T, S]): S = page.summarized(loaded(page))

  /** Recomputes the summaries that do not meet `isEnough`; this reads their pages. */
  def summarizeAnew(isEnough: S => Boolean): Unit = {
    pages.foreach { page =>
      page.summary = page.summary.filter(isEnough)
      summaryOf(page)
    }
    sums.moved()
  }

  def first: Option[T] = pages.headOption.map(loaded(_).head)
  def last: Option[T]  = pages.lastOption.map(loaded(_).last)

  def all: Iterator[T] = pages.iterator.flatMap(loaded)

  /** The values at and after a place. Values must not be put or removed during the iteration, nor during [[before]]. */
  def from(place: P): Iterator[T] = {
    val i = math.max(pageOf(place), 0)
    Iterator.range(i, pages.size).flatMap { at =>
      val values = loaded(pages(at))
      Iterator.range(if (at == i) indexOf(values, place) else 0, values.size).map(values(_))
    }
  }

  /** The values before a place, in descending order, without those of pages whose summary does not meet `among`. */
  def before(place: P, among: S => Boolean = _ => true): Iterator[T] = {
    val i = pageOf(place)
    Iterator.range(i, -1, -1).filter(pages(_).summary.forall(among)).flatMap { at =>
      val values = loaded(pages(at))
      Iterator.range((if (at == i) indexOf(values, place) else values.size) - 1, -1, -1).map(values(_))
    }
  }

  /** The last value before a place, followed by those at and after it as long as they meet a condition. */
  def near(place: P)(isNear: T => Boolean): Vector[T] = {
    @tailrec def onwards(i: Int, index: Int, found: Vector[T]): Vector[T] =
      if (i == pages.size) found
      else if (index == loaded(pages(i)).size) onwards(i + 1, 0, found)
      else {
        val next = loaded(pages(i))(index)
        if (isNear(next)) onwards(i, index + 1, found :+ next) else found
      }
    val i     = math.max(pageOf(place), 0)
    val index = if (pages.isEmpty) 0 else indexOf(loaded(pages(i)), place)
    val none  = Vector.empty[T]
    if (index > 0) onwards(i, index, none :+ loaded(pages(i))(index - 1))
    else onwards(i, index, if (i > 0) none :+ loaded(pages(i - 1)).last else none)
  }

  def get(place: P): Option[T] = {
    val i = pageOf(place)
    if (i < 0) None
    else {
      val values = loaded(pages(i))
      val index  = indexOf(values, place)
      Option.when(hasAt(values, index, place))(values(index))
    }
  }

  /** Adds a value; replaces the value at the same place if there is one. */
  def put(value: T): Unit = {
    val place = paged.place(value)
    rewritten = true
    if (pages.isEmpty) {
      addPage(ArrayBuffer(value))
      segments.grown += 1
    } else {
      val i      = math.max(pageOf(place), 0)
      val values = loaded(pages(i))
      val index  = indexOf(values, place)
      if (hasAt(values, index, place)) {
        pages(i).replace(index, value)
        pageChanged(i, 0)
      } else {
        insertInto(i, index, value)
        segments.grown += 1
        if (pages(i).size > KeyPages.MostInPage) split(i)
      }
    }
  }

  /** Removes the value at the place of `value`. */
  def remove(value: T): Unit = {
    val place = paged.place(value)
    val i     = pageOf(place)
    if (i >= 0) {
      val values = loaded(pages(i))
      val index  = indexOf(values, place)
      if (hasAt(values, index, place)) {
        pages(i).remove(index)
        removedFrom(i, 1)
      }
    }
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
      val before = loaded(pages(i))
      val after  = before.flatMap(by)
      pages(i).hold(after)
      removedFrom(i, before.size - after.size)
      i = sums.first(if (after.isEmpty) i else i + 1)(among)
    }
  }

  private def removedFrom(i: Int, values: Int): Unit = {
    segments.grown -= values
    count -= values
    rewritten = true
    if (pages(i).size == 0) removePage(i) else pageChanged(i, -values)
  }

  /** Removes all values without reading them, so `Segments.grown` does not count them. */
  def clear(): Unit = {
    removeAll()
    rewritten = true
  }

  /** The values of pages that have changed or whose summary is due. The summaries of these pages are recomputed later.
    */
  def due(isDue: S => Boolean): Vector[T] =
    pages.iterator.filter(page => page.changed || page.summary.forall(isDue)).foldLeft(Vector.empty[T]) {
      (found, page) =>
        page.summary = None
        sums.moved()
        if (!page.isInside) rewritten = true
        found ++ loaded(page)
    }

  /** The index of the page that holds a place or would hold it; -1 if it precedes all pages. */
  private def pageOf(place: P): Int = FirstIndex.where(pages.size)(i => order.lt(place, pages(i).first)) - 1

  /** The index of the first value at or after a place. */
  private def indexOf(values: ArrayBuffer[T], place: P): Int =
    FirstIndex.where(values.size)(i => !order.lt(paged.place(values(i)), place))

  private def hasAt(values: ArrayBuffer[T], index: Int, place: P): Boolean =
    index < values.size && order.equiv(paged.place(values(index)), place)

  override def write(out: ByteWriter): Unit = {
    super.write(out)
    rewritten = false
  }
}

/** A page of [[KeyPages]]. */
private[core] final class SummarizedPage[P, T, S](paged: PageLayout[P, T, S]) extends Page[T] {

  /** A lower bound of the places of its values. */
  var first: P = _

  /** None if it must be computed from the values, which are read then. */
  var summary: Option[S] = None

  protected def describe(): Unit = {
    summary = None
    if (size > 0) first = paged.place(values(0))
  }

  protected def include(value: T): Unit = {
    first = paged.place(values(0))
    summary = summary.flatMap(paged.added(_, value))
  }

  /** The summary, which is computed from the values if necessary. */
  def summarized(values: => ArrayBuffer[T]): S = summary.getOrElse {
    val now = paged.summaryOf(values.iterator)
    summary = Some(now)
    now
  }

  /** Replaces a value by another at the same place. */
  def replace(index: Int, by: T): Unit = {
    values(index) = by
    changed = true
    summary = None
  }

  def remove(index: Int): Unit = {
    values.remove(index)
    size -= 1
    changed = true
    describe()
  }

  def write(out: ByteWriter): Unit = {
    paged.places.write(first, out)
    paged.summaries.write(summarized(values), out)
  }

  def read(in: ByteReader): Unit = {
    first = paged.places.read(in)
    summary = Some(paged.summaries.read(in))
  }
}

/** Writes and reads the root of a key's pages. */
private[core] final class KeyPagesCodec[P, T, S](paged: PageLayout[P, T, S], segments: Segments)
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
  val MostInPage = 512
}

/** Pages whose summary is the earliest time at which one of their values is due. */
private[core] final class DeadlineLayout[T](val values: Codec[T], at: T => Place, deadline: T => Long)
    extends PageLayout[Place, T, Long] {
  implicit def order: Ordering[Place]      = Place.Order
  def place(value: T): Place               = at(value)
  def places: Codec[Place]                 = Place
  def summaryOf(value: T): Long            = deadline(value)
  def merged(one: Long, other: Long): Long = math.min(one, other)
  def summaries: Codec[Long]               = DeadlineLayout.Deadlines
}

private[core] object DeadlineLayout {
  type Pages[T] = KeyPages[Place, T, Long]

  /** The earliest time at which a value is due. */
  def deadline(pages: Pages[_]): Long = pages.pageSummaries.minOption.getOrElse(Due.Never)

  private object Deadlines extends Codec[Long] {
    def write(deadline: Long, out: ByteWriter): Unit = out.long(deadline)
    def read(in: ByteReader): Long                   = in.long()
  }
}
