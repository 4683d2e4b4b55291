package windrow.core.fullstate

import windrow.Timing
import windrow.core.state._
import windrow.core.store._

/** The messages and the windows of one key. */
private[fullstate] final class KeyWindows(val key: Key, segments: Segments) {
  private val codec = StoredMessage.codec(Some(key))

  val messages = new MessageRun(StoredMessage.Order, codec, segments)

  /** By (start, end). */
  var rows: Vector[WindowRow] = Vector.empty

  def write(out: ByteWriter): Unit = {
    out.bytes(key.bytes)
    messages.write(out)
    out.count(rows.size.toLong)
    rows.foreach(WindowRow.codec(codec).write(_, out))
  }

  def read(in: ByteReader): Unit = {
    messages.read(in)
    rows = Vector.fill(in.count().toInt)(WindowRow.codec(codec).read(in))
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
  *   inclusive, in microseconds
  * @param end
  *   exclusive, in microseconds
  * @param offsets
  *   by source and partition, of all messages that it ever accepted
  * @param count
  *   of these messages
  * @param lastTiming
  *   of its last pane
  * @param panes
  *   that it has fired
  */
final case class WindowMetadata(
    key: Key,
    start: Long,
    end: Long,
    offsets: Map[(String, Long), OffsetRange],
    count: Long,
    lastTiming: Option[Timing],
    panes: Long)

object WindowMetadata {

  /** By (start, end), then key. */
  val Order: Ordering[WindowMetadata] = Ordering.by[WindowMetadata, (Long, Long)](row => (row.start, row.end))
    .orElse((a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes))

  private[fullstate] def of(key: Key, row: WindowRow): WindowMetadata =
    WindowMetadata(key, row.start, row.end, row.offsets, row.count, row.last, row.firing.index)
}
