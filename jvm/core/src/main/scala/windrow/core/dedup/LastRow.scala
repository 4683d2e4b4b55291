package windrow.core.dedup

import java.util.Arrays
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Codec, Key}
import windrow.core.store.{Incoming, OriginCodec, StoredMessage}

/** A row that may be the last one of its key.
  *
  * @param step
  *   the step in which it arrived, as far as the shard has run since it was opened
  * @param isOpen
  *   whether no accepted row has made it a duplicate
  */
private[dedup] final class LastRow(
    val time: Long,
    val origin: Option[Origin],
    val payload: Array[Byte],
    val step: Long,
    var isOpen: Boolean) {
  def of(key: Key): Incoming = Incoming(key, Some(time), origin, payload)
}

private[dedup] object LastRow {
  val Empty: Array[LastRow] = Array.empty

  /** Orders rows of a key by event time, source, partition, offset, and content (SEMANTICS T3). */
  val ByTime: Ordering[LastRow] = (a, b) =>
    if (a.time != b.time) java.lang.Long.compare(a.time, b.time)
    else {
      val byOrigin = StoredMessage.Origins.compare(a.origin, b.origin)
      if (byOrigin != 0) byOrigin else Arrays.compareUnsigned(a.payload, b.payload)
    }

  private val Open = 1; private val HasOrigin = 2

  /** The rows of a key. */
  object RowsCodec extends Codec[Array[LastRow]] {
    def write(rows: Array[LastRow], out: ByteWriter): Unit = {
      out.count(rows.length.toLong)
      rows.foreach { row =>
        out.byte((if (row.isOpen) Open else 0) | (if (row.origin.isDefined) HasOrigin else 0))
        out.long(row.time)
        row.origin.foreach(OriginCodec.write(_, out))
        out.bytes(row.payload)
      }
    }

    def read(in: ByteReader): Array[LastRow] = Array.fill(in.size()) {
      val flags  = in.byte()
      val time   = in.long()
      val origin = Option.when((flags & HasOrigin) != 0)(OriginCodec.read(in))
      new LastRow(time, origin, in.bytes(), step = 0, isOpen = (flags & Open) != 0)
    }
  }
}
