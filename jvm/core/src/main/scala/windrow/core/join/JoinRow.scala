package windrow.core.join

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.store.StoredMessage

/** @param messages
  *   one for each stream in order, None where it has none; of semi and anti joins the first stream's only
  */
final case class JoinRow(messages: IndexedSeq[Option[StoredMessage]])

/** A row that comes if no more messages do.
  *
  * @param watermark
  *   the least at which it is known that the row's message stays alone, in microseconds; None: the row waits for none
  * @param processingTime
  *   at which a period ends, in microseconds; None: it waits for none
  */
final case class PendingRow(row: JoinRow, watermark: Option[Long], processingTime: Option[Long])

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
