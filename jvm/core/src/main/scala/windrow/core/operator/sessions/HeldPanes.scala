package windrow.core.operator
package sessions

import windrow.core.aggregate.{Aggregation, PageSum}
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, KeyPages, PageLayout, Segments}

/** A pane of another operator in a window, or a retraction that waits for its pane.
  *
  * @param content
  *   identifies the panes that a retraction can remove
  * @param number
  *   its index among all that were stored in its window
  * @param buffer
  *   None for a retraction
  */
private[sessions] final class HeldPane[B](val content: Key, val number: Long, val buffer: Option[B]) {
  val place: PanePlace = PanePlace(content.spread, number)
}

/** A place ordered by the hash of the content, which is small however large the content is, then by number. */
private[sessions] final case class PanePlace(hash: Long, number: Long)

private[sessions] object PanePlace extends Codec[PanePlace] {
  implicit val Order: Ordering[PanePlace] = (a, b) =>
    if (a.hash != b.hash) java.lang.Long.compare(a.hash, b.hash) else java.lang.Long.compare(a.number, b.number)

  def write(place: PanePlace, out: ByteWriter): Unit = {
    out.long(place.hash)
    out.count(place.number)
  }

  def read(in: ByteReader): PanePlace = PanePlace(in.long(), in.count())
}

/** The panes of a window by content, stored in pages with their sums. The cost of a step therefore depends on the panes
  * that arrive and are retracted, not on the size of the window (SEMANTICS S10). Mutable.
  *
  * If buffers contain their messages, the last pane that the window has shown is not stored either: it consists of the
  * panes below the number `shown` that have not been retracted since, and of those that have.
  */
private[core] final class HeldPanes[B] private[sessions] (
    aggregation: Aggregation[B, _],
    paged: PaneLayout[B],
    segments: Segments,
    pageBytes: Int) {
  private def nothing = new KeyPages[PanePlace, HeldPane[B], Option[B]](paged, segments, pageBytes)

  private val pages             = nothing
  private lazy val retracted    = nothing
  private val keepsRetracted    = aggregation.storage.isDefined
  private var size, next, shown = 0L

  /** Whether all panes were retracted. */
  def isEmpty: Boolean = size == 0

  /** Adds a pane, unless a retraction waits for it. Returns whether the value has changed. */
  def add(content: Key, buffer: B): Boolean = newest(content).filter(_.buffer.isEmpty).fold {
    put(content, Some(buffer))
    size += 1
    true
  } { retraction =>
    pages.remove(retraction)
    false
  }

  /** Removes the last pane of this content, or the next one to arrive. Returns whether the value has changed. */
  def retract(content: Key): Boolean = newest(content).filter(_.buffer.isDefined).fold {
    put(content, None)
    false
  } { pane =>
    pages.remove(pane)
    size -= 1
    if (keepsRetracted && pane.number < shown) retracted.put(pane)
    true
  }

  private def newest(content: Key): Option[HeldPane[B]] = {
    val hash = content.spread
    pages.before(PanePlace(hash, Long.MaxValue)).takeWhile(_.place.hash == hash).find(_.content == content)
  }

  private def put(content: Key, buffer: Option[B]): Unit = {
    pages.put(new HeldPane(content, next, buffer))
    next += 1
  }

  /** The combination of all panes. */
  def sum: B = {
    if (pages.summary.exists(_.isEmpty)) pages.summarizeAnew(_.isDefined)
    pages.summary.flatten.fold(aggregation.zero)(aggregation.copy)
  }

  /** The combination of the panes that were shown last, if buffers contain their messages. */
  def shownSum: B = (pages.all.filter(_.number < shown) ++ retracted.all)
    .flatMap(_.buffer).foldLeft(aggregation.zero)(aggregation.combine)

  /** The present panes are those that were shown last. */
  def show(): Unit = if (keepsRetracted) {
    shown = next
    retracted.clear()
  }

  def clear(): Unit = {
    pages.clear()
    if (keepsRetracted) retracted.clear()
  }

  def write(out: ByteWriter): Unit = {
    out.count(size)
    out.count(next)
    pages.write(out)
    if (keepsRetracted) {
      out.count(shown)
      retracted.write(out)
    }
  }

  def read(in: ByteReader): Unit = {
    size = in.count()
    next = in.count()
    pages.read(in)
    if (keepsRetracted) {
      shown = in.count()
      retracted.read(in)
    }
  }
}

/** Describes the panes of a window in pages. */
private[sessions] final class PaneLayout[B](aggregation: Aggregation[B, _])
    extends PageLayout[PanePlace, HeldPane[B], Option[B]] {
  private val sum = new PageSum(aggregation, isWritten = aggregation.storage.isEmpty)

  implicit def order: Ordering[PanePlace]                 = PanePlace.Order
  def place(pane: HeldPane[B]): PanePlace                 = pane.place
  def places: Codec[PanePlace]                            = PanePlace
  def summaries: Codec[Option[B]]                         = sum
  def summaryOf(pane: HeldPane[B]): Option[B]             = summaryOf(Iterator.single(pane))
  def merged(one: Option[B], other: Option[B]): Option[B] = sum.merged(one, other)

  override def summaryOf(some: Iterator[HeldPane[B]]): Option[B] =
    some.flatMap(_.buffer).foldLeft(Option.empty[B])(sum.add).orElse(Some(aggregation.zero))

  /** A sum that is not exact is computed again from the panes of its page in their order, so that a restart does not
    * change its bits (SEMANTICS R90).
    */
  override def added(known: Option[B], pane: HeldPane[B]): Option[Option[B]] = Option.when(aggregation.isExact)(
    known.map(sum => pane.buffer.fold(sum)(aggregation.combine(sum, _))))

  val values: Codec[HeldPane[B]] = new Codec[HeldPane[B]] {
    def write(pane: HeldPane[B], out: ByteWriter): Unit = {
      out.bytes(pane.content.bytes)
      out.count(pane.number)
      out.byte(if (pane.buffer.isDefined) 1 else 0)
      pane.buffer.foreach(aggregation.write(_, out))
    }

    def read(in: ByteReader): HeldPane[B] =
      new HeldPane(new Key(in.bytes()), in.count(), Option.when(in.byte() == 1)(aggregation.read(in)))
  }
}
