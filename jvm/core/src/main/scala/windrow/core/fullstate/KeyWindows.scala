package windrow.core.fullstate

import windrow.SourcePartition
import windrow.Timing
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.Position

/** The messages and the windows of one key.
  *
  * @param life
  *   by which its windows are told of
  */
private[fullstate] final class KeyWindows(val key: Key, segments: Segments, life: RowLife, pageBytes: Int) {
  private val codec  = StoredMessage.codec(Some(key))
  private val unsent = new Unsent.Stored(codec, segments)
  private val paged  = new PagedRows(codec, unsent, life.outlook(_, this))

  val messages = new MessageRun(StoredMessage.Order, codec, segments, tells = life.countsStored)
  val rows     = new KeyPages(paged, segments, pageBytes)

  /** How many messages have got a number, for windows that count them. */
  var numbered = 0L

  def isEmpty: Boolean = messages.isEmpty && rows.isEmpty && numbered == 0

  /** The one that begins last, of a source partition if windows are on its offsets. */
  def lastRow(partition: Option[SourcePartition]): Option[WindowRow] =
    rows.before(WindowId(
      Position.Greatest,
      Position.Greatest,
      partition)).nextOption().filter(_.id.partition == partition)

  /** The messages that wait for a pane of a window, which it now has. */
  def takeUnsent(row: WindowRow): Vector[StoredMessage] =
    row.paneState.delta.fold(Vector.empty[StoredMessage])(unsent.take)

  /** All messages that wait for a pane. */
  def waiting: Iterator[StoredMessage] = rows.all.flatMap(_.paneState.delta).flatMap(unsent.all)

  def write(out: ByteWriter): Unit = {
    out.bytes(key.bytes)
    messages.write(out)
    rows.write(out)
    out.count(numbered)
  }

  def read(in: ByteReader): Unit = {
    messages.read(in)
    rows.read(in)
    numbered = in.count()
  }
}

private[fullstate] final class KeyWindowsCodec(segments: Segments, life: RowLife, pageBytes: Int)
    extends Codec[KeyWindows] {
  def empty(key: Key): KeyWindows = new KeyWindows(key, segments, life, pageBytes)

  def write(state: KeyWindows, out: ByteWriter): Unit = state.write(out)

  def read(in: ByteReader): KeyWindows = {
    val state = empty(new Key(in.bytes()))
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
  *   by source partition, of all messages that it ever accepted
  * @param count
  *   of these messages
  * @param lastTiming
  *   of its last pane
  * @param panes
  *   that it has fired
  * @param isComplete
  *   nothing more is on time for it
  * @param partition
  *   of windows on offsets
  * @param message
  *   of a window of `Over`: the one that it ends at
  */
final case class WindowMetadata(
    key: Key,
    start: Long,
    end: Long,
    offsets: Map[SourcePartition, OffsetSpan],
    count: Long,
    lastTiming: Option[Timing],
    panes: Long,
    isComplete: Boolean = false,
    partition: Option[SourcePartition] = None,
    message: Option[StoredMessage] = None)

object WindowMetadata {

  /** By (start, end), then key. */
  val Order: Ordering[WindowMetadata] = Ordering.by[WindowMetadata, (Long, Long)](row => (row.start, row.end))
    .orElse((a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes))
    .orElse(Ordering.by[WindowMetadata, Option[SourcePartition]](_.partition))
    .orElse(Ordering.by[WindowMetadata, Option[StoredMessage]](_.message)(Ordering.Option(StoredMessage.Order)))
}
