package windrow.core.store

import scala.collection.mutable.ArrayBuffer
import scala.collection.{AbstractIterator, IndexedSeq}
import windrow.core.state.{Codec, FirstIndex, PagedRun, Segments}
import windrow.core.time.{Axis, EventTime, Position}

/** Messages in order. Pages are split as they grow, so a message costs the logarithm of the run, however many arrive in
  * one step. The size of pages grows with their number, so that the root, which each step reads, grows with the square
  * root of the run. At most `heldBytes` of messages are in memory: beyond that, changed pages are written, and all
  * pages are read again when needed. Messages removed by retention are hidden at once (SEMANTICS R11).
  *
  * @param order
  *   orders by event time first. Messages that are equal in it differ only in whether they are settled; settled ones
  *   precede the others
  * @param withTotals
  *   whether the root stores the totals of pages, so that [[totals]] does not read them
  */
private[core] final class MessageRun(
    order: Ordering[StoredMessage],
    codec: Codec[StoredMessage],
    segments: Segments,
    segmentBytes: Int = 4096,
    heldBytes: Long = 16L << 20,
    withTotals: Boolean = false)
    extends PagedRun[StoredMessage, MessagePage](codec, segments, insideBytes = 1024) {

  /** Number of messages that are not settled. */
  private val unsettled = summaries[Int](_.unsettled, _ + _)

  private val totals = summaries[Totals](totalsOf, _ and _)

  /** Approximate number of bytes of messages in memory. */
  private var held = 0L

  protected def newPage(): MessagePage = new MessagePage(codec, withTotals)

  /** The size of a page is at least eight times the number of pages, which is an eighth of the root. */
  protected def pageBytes: Int = math.max(segmentBytes, pages.size * 8)

  /** Number of messages, without the removed ones. */
  def size: Long = count

  /** Exact number of bytes of messages in memory. */
  private[store] def inMemory: Long = pages.iterator.map(_.weight).sum

  def add(message: StoredMessage): Unit = {
    val at = pageOf(message)
    if (at < 0 || at == pages.size - 1 && isFullBefore(message)) {
      addPage(ArrayBuffer(message))
      hold(pages.last, pages.last.weight)
    } else {
      if (at == 0) deleteHidden()
      val page   = pages(at)
      val place  = placeOf(loaded(page), message)
      val before = page.weight
      insertInto(at, place, message)
      hold(page, page.weight - before)
      if (page.size > 1 && page.weight > 2 * pageBytes) split(at)
    }
  }

  /** Whether the last page has its size and ends before the message, so that messages in order fill one page after
    * another.
    */
  private def isFullBefore(message: StoredMessage): Boolean = {
    val last = pages.last
    standsBefore(loaded(last).last, message) && last.weight > pageBytes
  }

  /** Whether a stored message precedes a new one. */
  private def standsBefore(kept: StoredMessage, message: StoredMessage): Boolean = {
    val compared = order.compare(kept, message)
    compared < 0 || compared == 0 && (kept.isSettled || !message.isSettled)
  }

  /** The index of the page for a message; -1 if there are none. */
  private def pageOf(message: StoredMessage): Int =
    if (pages.isEmpty) -1
    else math.max(0, FirstIndex.where(pages.size)(i => !standsBefore(pages(i).first, message)) - 1)

  private def placeOf(values: IndexedSeq[StoredMessage], message: StoredMessage): Int =
    FirstIndex.where(values.size)(i => !standsBefore(values(i), message))

  /** Messages with positions in a closed range, in the order of the run. A bound of None is open. Messages may be
    * settled during the iteration.
    */
  def range(axis: Axis, from: Option[Long], to: Option[Long]): Iterator[StoredMessage] = axis match {
    case Axis.Time =>
      val high = to.getOrElse(EventTime.Max)
      from.fold(new UpTo(high, 0, 0))(since(_, high))
    case Axis.Offset if from.isEmpty && to.isEmpty => pages.indices.iterator.flatMap(inPage)
    case Axis.Offset =>
      val (low, high) = (from.getOrElse(Position.Least), to.getOrElse(Position.Greatest))
      pages.indices.iterator.filter(pages(_).mayHoldOffsets(low, high)).flatMap(inPage)
        .filter(_.offset.exists(at => low <= at && at <= high))
  }

  private def since(time: Long, high: Long): UpTo = {
    val at = pageReaching(time)
    new UpTo(high, at, if (at == pages.size || pages(at).first.time > high) 0 else firstSince(loaded(pages(at)), time))
  }

  /** Messages up to a time, starting at an index of a page. Pieces are read when the iteration reaches them. */
  private final class UpTo(high: Long, private var at: Int, private var place: Int)
      extends AbstractIterator[StoredMessage] {
    private var these: IndexedSeq[StoredMessage] = _ // of the current page; valid even if it is released
    private var until                            = 0
    private var found: StoredMessage             = _

    def hasNext: Boolean = {
      if (found == null && seek()) {
        found = these(place)
        if (found.time > high) end()
        else place += 1
      }
      found != null
    }

    def next(): StoredMessage = if (hasNext) {
      val message = found
      found = null
      message
    } else Iterator.empty.next()

    private def seek(): Boolean = {
      while (at < pages.size && (these == null || place >= until)) if (these == null) enter() else leave()
      at < pages.size
    }

    private def enter(): Unit =
      if (pages(at).first.time > high) end()
      else {
        these = loaded(pages(at))
        until = these.size
        if (at == 0) place = math.max(hidden, place)
      }

    private def leave(): Unit = {
      these = null
      at += 1
      place = 0
    }

    private def end(): Unit = {
      found = null
      at = Int.MaxValue
    }
  }

  private def pageReaching(time: Long): Int = FirstIndex.where(pages.size)(i => pages(i).maxTime >= time)

  private def firstSince(values: IndexedSeq[StoredMessage], time: Long): Int =
    FirstIndex.where(values.size)(i => values(i).time >= time)

  private def inPage(at: Int): Iterator[StoredMessage] = {
    val values = loaded(pages(at)) // valid even if the page is released
    Iterator.range(if (at == 0) hidden else 0, values.size).map(values(_))
  }

  /** Totals of the messages in a closed range of event time; without `from`, starting at the oldest. */
  def totals(from: Option[Long], to: Long): Totals = {
    val low           = from.fold(0)(pageReaching)
    val high          = FirstIndex.where(pages.size)(i => pages(i).first.time > to)
    def some(at: Int) = Totals.of(inPage(at).filter(one => from.forall(_ <= one.time) && one.time <= to))
    if (low >= high) Totals.Nothing
    else if (low == high - 1) some(low)
    else totals.of(low + 1, high - 1).foldLeft(some(low))(_ and _).and(some(high - 1))
  }

  private def totalsOf(page: MessagePage): Totals = {
    if (!page.knowsTotals) loaded(page)
    page.totals
  }

  /** Messages in a closed range of event time that are not settled. */
  def unsettled(from: Long, to: Long): Iterator[StoredMessage] =
    Iterator.unfold(pageReaching(from)) { at =>
      Some(unsettled.first(at)(_ > 0)).filter(found => found >= 0 && pages(found).first.time <= to)
        .map(found => (inPage(found), found + 1))
    }.flatten.filter(one => !one.isSettled && from <= one.time && one.time <= to)

  /** Messages before a position, in descending order. */
  def before(position: StoredMessage): Iterator[StoredMessage] = {
    val at = FirstIndex.where(pages.size)(i => !order.lt(pages(i).first, position)) - 1
    Iterator.range(at, -1, -1).flatMap { i =>
      val values = loaded(pages(i))
      val until  = if (i < at) values.size else FirstIndex.where(values.size)(j => !order.lt(values(j), position))
      Iterator.range(until - 1, (if (i == 0) hidden else 0) - 1, -1).map(values(_))
    }
  }

  def oldest: Option[StoredMessage] = Option.when(!isEmpty)(next)

  /** Event time of the oldest message. */
  def oldestTime: Option[Long] = Option.when(!isEmpty)(if (hidden == 0) pages(0).first.time else next.time)

  /** A lower bound of the event times at or after `time`; exact if the page of the first such message is read. None if
    * such a message does not exist.
    */
  def nextTime(time: Long): Option[Long] = {
    val at = pageReaching(time)
    Option.when(at < pages.size) {
      val page = pages(at)
      if (page.isRead) page.values(math.max(firstSince(page.values, time), if (at == 0) hidden else 0)).time
      else math.max(time, page.first.time)
    }
  }

  /** Settles a stored message, or one that is equal to it. */
  def settle(message: StoredMessage): Unit = {
    val settled = message.copy(isSettled = true)
    val at      = pageOf(settled)
    val place   = math.max(placeOf(loaded(pages(at)), settled), if (at == 0) hidden else 0)
    Iterator((at, place), (at + 1, 0)).find { case (at, index) =>
      at < pages.size && index < pages(at).size && isOpen(loaded(pages(at))(index), message)
    }.foreach { case (at, index) =>
      pages(at).settle(index, settled)
      pageChanged(at, 0)
    }
  }

  private def isOpen(kept: StoredMessage, message: StoredMessage): Boolean =
    !kept.isSettled && order.equiv(kept, message)

  /** Removes the oldest messages as long as one meets `leaves`; if one meets it, all earlier ones are removed, too.
    * Complete pages are removed without reading them.
    *
    * @param leaves
    *   of the event time of a message, and of the number of messages from this one on
    * @return
    *   number of removed messages
    */
  def retire(leaves: (Long, Long) => Boolean): Long = {
    val before = size
    while (pages.nonEmpty && leaves(pages(0).maxTime, size - inFirstPage + 1)) removeFirst(inFirstPage)
    while (leaving(leaves).isDefined) dropOldest()
    before - size
  }

  /** The oldest message, if it meets `leaves`. */
  def leaving(leaves: (Long, Long) => Boolean): Option[StoredMessage] =
    oldest.filter(message => leaves(message.time, size))

  def dropOldest(): Unit = removeFirst(1)

  /** Number of messages of the first page, without the removed ones. */
  private def inFirstPage: Int = pages(0).size - hidden

  private def next: StoredMessage = loaded(pages(0))(hidden)

  /** Removes all messages. */
  def clear(): Unit = {
    removeAll()
    held = 0
  }

  override protected def wasRead(page: MessagePage): Unit = hold(page, page.weight)

  /** Records more bytes in memory, and releases all other pages if there are too many. */
  private def hold(page: MessagePage, more: Long): Unit = {
    held += more
    if (held > heldBytes) {
      pages.foreach(other => if (other.changed && (other ne page)) store(other))
      releaseAllBut(page)
      held = page.weight
    }
  }
}
