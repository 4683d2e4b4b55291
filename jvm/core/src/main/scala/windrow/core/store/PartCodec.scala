package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec

/** A source and its partition. */
private[core] object PartCodec extends Codec[(String, Long)] {
  def write(part: (String, Long), out: ByteWriter): Unit = {
    out.bytes(part._1.getBytes(UTF_8))
    out.long(part._2)
  }

  def read(in: ByteReader): (String, Long) = (new String(in.bytes(), UTF_8), in.long())
}
