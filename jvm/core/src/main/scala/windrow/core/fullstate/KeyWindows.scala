package windrow.core.fullstate

import scala.collection.immutable.TreeMap
import windrow.Timing
import windrow.core.state._
import windrow.core.store._

/** The messages and the windows of one key. */
private[fullstate] final class KeyWindows(val key: Key, segments: Segments) {
  private val codec  = StoredMessage.codec(Some(key))
  private val unsent = new Unsent.Stored(codec, segments)
  private val each   = WindowRow.codec(codec, unsent)

  val messages = new MessageRun(StoredMessage.Order, codec, segments)

  var rows: TreeMap[WindowId, WindowRow] = TreeMap.empty

  /** From the last row down. */
  def descending: Iterator[WindowRow] = descending(rows.lastOption)

  /** From the last row down that begins before a position. */
  def before(start: Long): Iterator[WindowRow] = descending(rows.maxBefore(WindowId(start, Long.MinValue)))

  private def descending(from: Option[(WindowId, WindowRow)]): Iterator[WindowRow] =
    Iterator.unfold(from)(_.map { case (id, row) => (row, rows.maxBefore(id)) })

  /** The one that begins last of those for which a condition holds. */
  def lastRow(holds: WindowRow => Boolean): Option[WindowRow] = descending.find(holds)

  /** The messages that wait for a pane of a window, which it now has. */
  def takeUnsent(row: WindowRow): Vector[StoredMessage] =
    row.firing.delta.fold(Vector.empty[StoredMessage])(unsent.take)

  /** All messages that wait for a pane. */
  def waiting: Iterator[StoredMessage] = rows.valuesIterator.flatMap(_.firing.delta).flatMap(unsent.all)

  /** How many messages have got a number, for windows that count them. */
  var numbered = 0L

  def write(out: ByteWriter): Unit = {
    out.bytes(key.bytes)
    messages.write(out)
    out.count(rows.size.toLong)
    rows.values.foreach(each.write(_, out))
    out.count(numbered)
  }

  def read(in: ByteReader): Unit = {
    messages.read(in)
    rows = TreeMap.from(Seq.fill(in.size())(each.read(in)).map(row => row.id -> row))
    numbered = in.count()
  }
}

private[fullstate] final class KeyWindowsCodec(segments: Segments) extends Codec[KeyWindows] {
  def write(state: KeyWindows, out: ByteWriter): Unit = state.write(out)

  def read(in: ByteReader): KeyWindows = {
    val state = new KeyWindows(new Key(in.bytes()), segments)
    state.read(in)
    state
  }
}

/** What the metadata store tells of a window.
  *
  * @param start
  *   inclusive: microseconds, or a position
  * @param end
  *   as panes show it: exclusive of half-open windows, else the last instant or position
  * @param offsets
  *   by source and partition, of all messages that it ever accepted
  * @param count
  *   of these messages
  * @param lastTiming
  *   of its last pane
  * @param panes
  *   that it has fired
  * @param isComplete
  *   nothing more is on time for it
  * @param partition
  *   source and partition, of windows on offsets
  * @param message
  *   of a window of `Over`: the one that it ends at
  */
final case class WindowMetadata(
    key: Key,
    start: Long,
    end: Long,
    offsets: Map[(String, Long), OffsetRange],
    count: Long,
    lastTiming: Option[Timing],
    panes: Long,
    isComplete: Boolean = false,
    partition: Option[(String, Long)] = None,
    message: Option[StoredMessage] = None)

object WindowMetadata {

  /** By (start, end), then key. */
  val Order: Ordering[WindowMetadata] = Ordering.by[WindowMetadata, (Long, Long)](row => (row.start, row.end))
    .orElse((a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes))
    .orElse(Ordering.by[WindowMetadata, Option[(String, Long)]](_.partition))
    .orElse(Ordering.by[WindowMetadata, Option[StoredMessage]](_.message)(Ordering.Option(StoredMessage.Order)))
}
