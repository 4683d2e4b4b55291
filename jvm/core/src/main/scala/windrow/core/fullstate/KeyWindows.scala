package windrow.core.fullstate

import windrow.core.state._
import windrow.core.store._
import windrow.core.time.Position
import windrow.{SourcePartition, Timing}

/** Computes the summary by which a key finds its windows that are due. */
private[fullstate] trait RowOutlook {
  def outlook(row: WindowRow, state: KeyWindows): PageSummary

  /** Whether windows count the messages that are stored. */
  def countsStored: Boolean
}

/** The messages and the windows of one key.
  *
  * @param life
  *   computes the summaries of its windows
  */
private[fullstate] final class KeyWindows(val key: Key, segments: Segments, life: RowOutlook, pageBytes: Int) {
  private val codec  = StoredMessage.codec(Some(key))
  private val unsent = new UnsentMessages.UnsentCodec(codec, segments)
  private val paged  = new RowLayout(codec, unsent, life.outlook(_, this))

  val messages = new MessageRun(StoredMessage.Order, codec, segments, withTotals = life.countsStored)
  val rows     = new KeyPages(paged, segments, pageBytes)

  /** Number of messages that have received a sequence number, for windows by number. */
  var numbered = 0L

  def isEmpty: Boolean = messages.isEmpty && rows.isEmpty && numbered == 0

  /** The window with the greatest start, of one source partition if windows are on its offsets. */
  def lastRow(partition: Option[SourcePartition]): Option[WindowRow] =
    rows.before(WindowId(
      Position.Greatest,
      Position.Greatest,
      partition)).nextOption().filter(_.id.partition == partition)

  /** Removes and returns the messages that wait for a pane of a window. */
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

/** Writes and reads the state of a key. */
private[fullstate] final class KeyWindowsCodec(segments: Segments, life: RowOutlook, pageBytes: Int)
    extends Codec[KeyWindows] {
  def empty(key: Key): KeyWindows = new KeyWindows(key, segments, life, pageBytes)

  def write(state: KeyWindows, out: ByteWriter): Unit = state.write(out)

  def read(in: ByteReader): KeyWindows = {
    val state = empty(new Key(in.bytes()))
    state.read(in)
    state
  }
}

/** The metadata of a window.
  *
  * @param start
  *   inclusive: microseconds, or a position
  * @param end
  *   as in panes: exclusive for half-open windows, otherwise the last instant or position
  * @param offsets
  *   offsets of all messages that it ever accepted, by source partition
  * @param count
  *   number of these messages
  * @param lastTiming
  *   timing of its last pane
  * @param panes
  *   number of panes that it has fired
  * @param isComplete
  *   whether further messages are late
  * @param partition
  *   source partition, for windows on offsets
  * @param message
  *   for a window of `Over`, the message at which it ends
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

  /** Orders by (start, end), then by key. */
  val Order: Ordering[WindowMetadata] = Ordering.by[WindowMetadata, (Long, Long)](row => (row.start, row.end))
    .orElse((a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes))
    .orElse(Ordering.by[WindowMetadata, Option[SourcePartition]](_.partition))
    .orElse(Ordering.by[WindowMetadata, Option[StoredMessage]](_.message)(Ordering.Option(StoredMessage.Order)))
}
