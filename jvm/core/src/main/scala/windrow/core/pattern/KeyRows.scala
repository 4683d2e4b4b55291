package windrow.core.pattern

import windrow.core.state.{ByteReader, ByteWriter, Codec, Key, Segments}
import windrow.core.store.{MessageRun, StoredMessage}
import windrow.core.time.Due

/** A match that may still be retracted.
  *
  * @param start
  *   the position of its first row among the stored rows
  * @param names
  *   for each of its rows the number of its name
  */
private[pattern] final case class EmittedMatch(start: Int, names: Array[Byte])

/** The state of a key: the rows that a match may still need, and the emitted matches that may still be retracted.
  *
  * @param names
  *   the number of names in the pattern
  */
private[pattern] final class KeyRows(segments: Segments, names: Int) {
  private def run = new MessageRun(StoredMessage.Order, KeyRows.MessageCodec, segments)

  /** Rows of earlier steps, in order. */
  val rows: MessageRun = run

  /** Rows of the current step, in order; empty between two steps. */
  val arrived: MessageRun = run

  var emitted: Vector[EmittedMatch] = Vector.empty

  /** Whether no match begins at the first row, which is only the previous row of the second. */
  var isFirstPast: Boolean = false

  /** The watermark at which the matches or the rows of the key may change without more rows. */
  var due: Long = Due.AtOnce

  def isEmpty: Boolean = rows.isEmpty && arrived.isEmpty

  def write(out: ByteWriter): Unit = {
    rows.write(out)
    arrived.write(out)
    out.long(due)
    out.byte(if (isFirstPast) 1 else 0)
    out.count(emitted.size.toLong)
    emitted.foreach { one =>
      out.count(one.start.toLong)
      out.bytes(one.names)
    }
  }

  def read(in: ByteReader): Unit = {
    rows.read(in)
    arrived.read(in)
    due = in.long()
    isFirstPast = in.byte() == 1
    emitted = Vector.fill(in.size()) {
      val (start, of) = (in.count(), in.bytes())
      if (start < 0 || start > rows.size - of.length || of.isEmpty)
        throw in.damaged(s"a match of ${of.length} rows begins at row $start of ${rows.size}")
      if (of.exists(name => name < 0 || name >= names))
        throw in.damaged("a row of a match has a name that is not in the pattern")
      EmittedMatch(start.toInt, of)
    }
  }
}

private[pattern] object KeyRows {

  /** The key of stored rows, which do not contain their own, because it is that of the state. */
  val NoKey: Key = new Key(Array.emptyByteArray)

  private val MessageCodec = StoredMessage.codec(Some(NoKey))

  /** Writes and reads the state of a key. */
  final class KeyCodec(segments: Segments, names: Int) extends Codec[KeyRows] {
    def write(state: KeyRows, out: ByteWriter): Unit = state.write(out)

    def read(in: ByteReader): KeyRows = {
      val state = new KeyRows(segments, names)
      state.read(in)
      state
    }
  }
}
