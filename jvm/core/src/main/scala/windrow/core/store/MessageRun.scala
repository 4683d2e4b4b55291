package windrow.core.store

import scala.collection.mutable.ArrayBuffer
import scala.collection.{AbstractIterator, IndexedSeq}
import windrow.core.state.{ByteWriter, Codec, FirstIndex, PagedRun, Segments}
import windrow.core.time.{Axis, EventTime, Position}

/** Messages in order. Added messages are sorted and put into pages together when the run is read or written. Pages are
  * split as they grow, so a message costs the logarithm of the run, however many arrive in one step. The size of pages
  * grows with their number, so that the root, which each step reads, grows with the square root of the run. At most
  * `heldBytes` of messages are in memory: beyond that, changed pages are written, and all pages are read again when
  * needed. Messages removed by retention are hidden at once (SEMANTICS R11).
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

  private val arrived = new Arrivals(order)

  /** Number of messages, without the removed ones. */
  def size: Long = count + arrived.size

  override def isEmpty: Boolean = arrived.isEmpty && super.isEmpty

  /** Exact number of bytes of messages in memory. */
  private[store] def inMemory: Long = arrived.weight + pages.iterator.map(_.weight).sum

  def add(message: StoredMessage): Unit = {
    arrived.add(message)
    if (arrived.weight > heldBytes / MessageRun.ArrivedPart) putInPages()
  }

  /** Removes all messages, and returns them in order. */
  def takeAll(): IndexedSeq[StoredMessage] =
    if (pages.isEmpty) arrived.take()
    else {
      val all = range(Axis.Time, None, None).to(ArrayBuffer)
      clear()
      all
    }

  /** Puts the added messages into pages. */
  private def putInPages(): Unit = if (!arrived.isEmpty) {
    val all  = arrived.take()
    var from = 0
    while (from < all.size) from = placeFrom(from, all)
  }

  /** Puts those of the messages from an index on into a page that belong there together; returns the index after them. */
  private def placeFrom(from: Int, all: ArrayBuffer[StoredMessage]): Int = {
    val at = pageOf(all(from))
    if (at < 0) append(from, all)
    else if (at == pages.size - 1 && standsBefore(loaded(pages(at)).last, all(from))) append(from, all)
    else {
      if (at == 0) deleteHidden()
      val until =
        if (at == pages.size - 1) all.size
        else {
          val next = pages(at + 1).first
          from + FirstIndex.where(all.size - from)(i => standsBefore(next, all(from + i)))
        }
      merge(at, part(all, from, until))
      until
    }
  }

  /** Appends messages to the last page until it has its size, or to a new page. */
  private def append(from: Int, all: ArrayBuffer[StoredMessage]): Int = {
    val isNew  = pages.isEmpty || pages.last.weight > pageBytes
    var weight = if (isNew) 0L else pages.last.weight
    var until  = from
    while (until < all.size && weight <= pageBytes) {
      weight += all(until).weight
      until += 1
    }
    val some   = part(all, from, until)
    val before = if (isNew) 0L else pages.last.weight
    if (isNew) addPage(some)
    else insertInto(pages.size - 1, loaded(pages.last) ++= some, some)
    hold(pages.last, pages.last.weight - before)
    until
  }

  private def part(all: ArrayBuffer[StoredMessage], from: Int, until: Int): ArrayBuffer[StoredMessage] =
    if (until - from == all.size) all else PagedRun.part(all, from, until)

  /** Puts messages into a page, between its own. */
  private def merge(at: Int, some: IndexedSeq[StoredMessage]): Unit = {
    val page   = pages(at)
    val kept   = loaded(page)
    val before = page.weight
    if (some.size == 1) insertInto(at, placeOf(kept, some.head), some.head)
    else insertInto(at, merged(kept, some), some)
    hold(page, page.weight - before)
    cut(at)
  }

  private def merged(kept: IndexedSeq[StoredMessage], some: IndexedSeq[StoredMessage]): ArrayBuffer[StoredMessage] = {
    val both   = new ArrayBuffer[StoredMessage](kept.size + some.size)
    var (i, j) = (0, 0)
    while (i + j < kept.size + some.size)
      if (j == some.size || i < kept.size && standsBefore(kept(i), some(j))) {
        both += kept(i)
        i += 1
      } else {
        both += some(j)
        j += 1
      }
    both
  }

  /** Halves a page until none of its parts exceeds twice the size of a page. */
  private def cut(at: Int): Unit = if (pages(at).size > 1 && pages(at).weight > 2 * pageBytes) {
    loaded(pages(at))
    split(at)
    cut(at + 1)
    cut(at)
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
  def range(axis: Axis, from: Option[Long], to: Option[Long]): Iterator[StoredMessage] = {
    putInPages()
    axis match {
      case Axis.Time =>
        val high = to.getOrElse(EventTime.Max)
        from.fold(new MessageIterator(high, 0, 0))(since(_, high))
      case Axis.Offset => offsets(from, to)
    }
  }

  private def offsets(from: Option[Long], to: Option[Long]): Iterator[StoredMessage] =
    if (from.isEmpty && to.isEmpty) pages.indices.iterator.flatMap(inPage)
    else {
      val (low, high) = (from.getOrElse(Position.Least), to.getOrElse(Position.Greatest))
      pages.indices.iterator.filter(pages(_).mayHoldOffsets(low, high)).flatMap(inPage)
        .filter(_.offset.exists(at => low <= at && at <= high))
    }

  private def since(time: Long, high: Long): MessageIterator = {
    val at = pageReaching(time)
    new MessageIterator(
      high,
      at,
      if (at == pages.size || pages(at).first.time > high) 0 else firstSince(loaded(pages(at)), time))
  }

  /** Messages up to a time, starting at an index of a page. Pieces are read when the iteration reaches them. */
  private final class MessageIterator(high: Long, private var at: Int, private var place: Int)
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
    putInPages()
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
  def unsettled(from: Long, to: Long): Iterator[StoredMessage] = {
    putInPages()
    Iterator.unfold(pageReaching(from)) { at =>
      Some(unsettled.first(at)(_ > 0)).filter(found => found >= 0 && pages(found).first.time <= to)
        .map(found => (inPage(found), found + 1))
    }.flatten.filter(one => !one.isSettled && from <= one.time && one.time <= to)
  }

  /** Messages before a position, in descending order. */
  def before(position: StoredMessage): Iterator[StoredMessage] = {
    putInPages()
    val at = FirstIndex.where(pages.size)(i => !order.lt(pages(i).first, position)) - 1
    Iterator.range(at, -1, -1).flatMap { i =>
      val values = loaded(pages(i))
      val until  = if (i < at) values.size else FirstIndex.where(values.size)(j => !order.lt(values(j), position))
      Iterator.range(until - 1, (if (i == 0) hidden else 0) - 1, -1).map(values(_))
    }
  }

  /** The last message before a time. */
  def lastBefore(time: Long): Option[StoredMessage] = {
    putInPages()
    val at = FirstIndex.where(pages.size)(i => pages(i).first.time >= time) - 1
    Option.when(at >= 0)(at).flatMap { at =>
      val values = loaded(pages(at))
      val place  = firstSince(values, time) - 1
      Option.when(place >= (if (at == 0) hidden else 0))(values(place))
    }
  }

  def oldest: Option[StoredMessage] = {
    putInPages()
    Option.when(!isEmpty)(next)
  }

  /** Event time of the oldest message. */
  def oldestTime: Option[Long] = {
    putInPages()
    Option.when(!isEmpty)(if (hidden == 0) pages(0).first.time else next.time)
  }

  /** A lower bound of the event times at or after `time`; exact if the page of the first such message is read. None if
    * such a message does not exist.
    */
  def nextTime(time: Long): Option[Long] = {
    putInPages()
    val at = pageReaching(time)
    Option.when(at < pages.size) {
      val page = pages(at)
      if (page.isRead) page.values(math.max(firstSince(page.values, time), if (at == 0) hidden else 0)).time
      else math.max(time, page.first.time)
    }
  }

  /** Settles a stored message, or one that is equal to it. */
  def settle(message: StoredMessage): Unit = {
    putInPages()
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
    putInPages()
    val before = size
    while (pages.nonEmpty && leaves(pages(0).maxTime, size - inFirstPage + 1)) removeFirst(inFirstPage)
    if (pages.nonEmpty) {
      val values = loaded(pages(0))
      removeFirst(FirstIndex.where(inFirstPage)(i => !leaves(values(hidden + i).time, size - i)))
    }
    before - size
  }

  /** The oldest message, if it meets `leaves`. */
  def leaving(leaves: (Long, Long) => Boolean): Option[StoredMessage] =
    oldest.filter(message => leaves(message.time, size))

  def dropOldest(messages: Int = 1): Unit = {
    putInPages()
    removeFirst(messages)
  }

  /** Number of messages of the first page, without the removed ones. */
  private def inFirstPage: Int = pages(0).size - hidden

  private def next: StoredMessage = loaded(pages(0))(hidden)

  /** Removes all messages. */
  def clear(): Unit = {
    arrived.clear()
    removeAll()
    held = 0
  }

  override def write(out: ByteWriter): Unit = {
    putInPages()
    super.write(out)
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

private object MessageRun {

  /** Added messages wait to be put into pages until they weigh more than this part of the bytes in memory. */
  private val ArrivedPart = 4
}
