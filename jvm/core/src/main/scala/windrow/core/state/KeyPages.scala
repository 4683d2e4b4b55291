package windrow.core.state

import scala.collection.mutable.ArrayBuffer

/** Where a value stands among those of its key: by start, then by end. */
private[core] final case class Place(start: Long, end: Long) {
  def isBefore(other: Place): Boolean = start < other.start || (start == other.start && end < other.end)
}

/** The values of one key in order, in pages of neighbours: a B+-tree of height two whose root is this object. Only pages
  * that are touched or due are read, only those that change are written; a few values live inside the root.
  *
  * @param at
  *   the place of a value, which no other of the key has
  * @param deadline
  *   when a value needs to be looked at
  */
private[core] final class KeyPages[T](
    codec: Codec[T],
    segments: Segments,
    at: T => Place,
    deadlineOf: T => Long,
    pageBytes: Int = 4096) {
  import KeyPages._

  /** @param first
    *   no value stands before it
    * @param deadline
    *   of what is stored apart
    */
  private final class Page(val id: Long, var first: Place, var deadline: Long, var values: ArrayBuffer[T]) {
    var changed = false

    def loaded: ArrayBuffer[T] = {
      if (values == null) values = segments.read(id)(readValues(_))
      values
    }

    /** The index of the first value that is not before a place. */
    def indexOf(place: Place): Int = FirstIndex.where(loaded.size)(i => !at(values(i)).isBefore(place))
  }

  private val pages = new ArrayBuffer[Page]

  def isEmpty: Boolean = pages.isEmpty

  /** The least of its values', of those that are there as they are now. */
  def deadline: Long = pages.iterator.map(page =>
    if (page.values == null) page.deadline else page.values.iterator.map(deadlineOf).min)
    .minOption.getOrElse(Long.MaxValue)

  def last: Option[T] = pages.lastOption.map(_.loaded.last)

  def all: Iterator[T] = pages.iterator.flatMap(_.loaded)

  /** The last value before a place, and those from there on for as long as they reach something. */
  def around(place: Place)(reaches: T => Boolean): Vector[T] =
    if (pages.isEmpty) Vector.empty
    else {
      val out   = Vector.newBuilder[T]
      var i     = math.max(pageOf(place), 0)
      var index = pages(i).indexOf(place)
      if (index > 0) out += pages(i).values(index - 1) else if (i > 0) out += pages(i - 1).loaded.last
      while (i < pages.size) {
        val values = pages(i).loaded
        while (index < values.size && reaches(values(index))) {
          out += values(index)
          index += 1
        }
        i = if (index < values.size) pages.size else i + 1
        index = 0
      }
      out.result()
    }

  def get(place: Place): Option[T] = {
    val i = pageOf(place)
    if (i < 0) None
    else {
      val index = pages(i).indexOf(place)
      Option.when(index < pages(i).values.size && at(pages(i).values(index)) == place)(pages(i).values(index))
    }
  }

  /** In the place of one that stands there already. */
  def put(value: T): Unit = {
    val place = at(value)
    if (pages.isEmpty) pages += new Page(Inside, place, 0, new ArrayBuffer)
    val i     = math.max(pageOf(place), 0)
    val page  = pages(i)
    val index = page.indexOf(place)
    if (index < page.values.size && at(page.values(index)) == place) page.values(index) = value
    else page.values.insert(index, value)
    if (index == 0) page.first = place
    page.changed = true
    if (page.values.size > MostInPage) split(i)
  }

  /** Halves a page that has grown in this step. */
  private def split(i: Int): Unit = {
    val (page, half) = (pages(i), pages(i).values.size / 2)
    val rest         = new Page(Inside, at(page.values(half)), 0, page.values.drop(half))
    page.values.dropRightInPlace(page.values.size - half)
    rest.changed = true
    pages.insert(i + 1, rest)
  }

  def remove(value: T): Unit = {
    val place = at(value)
    val i     = pageOf(place)
    val page  = pages(i)
    page.loaded.remove(page.indexOf(place))
    page.changed = true
    if (page.values.isEmpty) {
      forget(page)
      pages.remove(i)
    }
  }

  /** The values of pages that have changed or are due at a time, and those inside. */
  def due(time: Long): Vector[T] = pages.iterator
    .filter(page => page.changed || page.id == Inside || page.deadline <= time).flatMap(_.loaded).toVector

  /** The index of the page where a place is or would be; -1 if that is before all. */
  private def pageOf(place: Place): Int = FirstIndex.where(pages.size)(i => place.isBefore(pages(i).first)) - 1

  private def forget(page: Page): Unit = if (page.id != Inside) segments.remove(page.id)

  // ---- bytes

  /** One page stands inside; of several their number comes after a 0. */
  def write(out: ByteWriter): Unit = {
    val written = pages.toVector.flatMap(page => if (page.changed) stored(page) else Seq(page))
    pages.clear()
    pages ++= written
    if (pages.size == 1 && pages.head.id == Inside) writeValues(pages.head.values, out)
    else {
      out.count(InPages)
      out.count(pages.size.toLong)
      pages.foreach { page =>
        out.count(page.id)
        out.long(page.first.start)
        out.long(page.first.end)
        out.long(page.deadline)
      }
    }
  }

  private def stored(page: Page): Seq[Page] = {
    val out    = new ByteWriter(pageBytes)
    val starts = ArrayBuffer(0)
    var filled = 0
    page.values.indices.foreach { i =>
      if (out.size - filled >= pageBytes) {
        starts += i
        filled = out.size
      }
      codec.write(page.values(i), out)
    }
    if (pages.size == 1 && starts.size == 1) {
      forget(page)
      Seq(part(Inside, page.values))
    } else starts.toSeq.zip(starts.toSeq.tail :+ page.values.size).map { case (from, until) =>
      val id   = if (from == 0 && page.id != Inside) page.id else segments.newId()
      val some = part(id, page.values.slice(from, until))
      out.clear()
      writeValues(some.values, out)
      segments.write(id, out)
      some
    }
  }

  private def part(id: Long, values: ArrayBuffer[T]): Page =
    new Page(id, at(values.head), values.iterator.map(deadlineOf).min, values)

  private def writeValues(values: ArrayBuffer[T], out: ByteWriter): Unit = {
    out.count(values.size.toLong)
    values.foreach(codec.write(_, out))
  }

  private def readValues(in: ByteReader): ArrayBuffer[T] = readValues(in, in.count())

  private def readValues(in: ByteReader, size: Long): ArrayBuffer[T] =
    ArrayBuffer.fill(in.fitting(size))(codec.read(in))

  def read(in: ByteReader): Unit = {
    val size = in.count()
    if (size != InPages)
      pages += part(Inside, readValues(in, size).sortWith(at(_) isBefore at(_))) // once they were not
    else pages ++= Seq.fill(in.size())(new Page(in.count(), Place(in.long(), in.long()), in.long(), null))
  }
}

private[core] final class KeyPagesCodec[T](
    codec: Codec[T],
    segments: Segments,
    at: T => Place,
    deadlineOf: T => Long)
    extends Codec[KeyPages[T]] {
  def empty: KeyPages[T]                               = new KeyPages(codec, segments, at, deadlineOf)
  def write(pages: KeyPages[T], out: ByteWriter): Unit = pages.write(out)

  def read(in: ByteReader): KeyPages[T] = {
    val pages = empty
    pages.read(in)
    pages
  }
}

private object KeyPages {

  /** A page in the root. */
  val Inside = 0L

  /** In the place of a number of values. */
  val InPages = 0L

  val MostInPage = 512
}
