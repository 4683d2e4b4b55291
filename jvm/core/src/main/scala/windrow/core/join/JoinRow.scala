package windrow.core.join

import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.core.store.StoredMessage

/** An output row of a join.
  *
  * @param messages
  *   one for each stream in order, None for a stream without one; for semi and anti joins only that of the first stream
  * @param isRetraction
  *   whether it withdraws an equal row (only in an as-of join)
  */
final case class JoinRow(messages: IndexedSeq[Option[StoredMessage]], isRetraction: Boolean = false)

/** A row that will be emitted if no more messages arrive.
  *
  * @param watermark
  *   the least watermark at which the row's message is known to be unmatched, in microseconds; None if it depends on
  *   none
  * @param processingTime
  *   the processing time at which a period ends, in microseconds; None if it depends on none
  */
final case class PendingRow(row: JoinRow, watermark: Option[Long], processingTime: Option[Long])

/** Writes and reads a row of a join. */
private[join] final class JoinRowCodec(messages: Codec[StoredMessage]) extends Codec[JoinRow] {
  def write(row: JoinRow, out: ByteWriter): Unit = {
    out.count(row.messages.size.toLong)
    row.messages.foreach { side =>
      out.byte(if (side.isDefined) 1 else 0)
      side.foreach(messages.write(_, out))
    }
  }

  def read(in: ByteReader): JoinRow =
    JoinRow(Vector.fill(in.size())(Option.when(in.byte() == 1)(messages.read(in))))
}
