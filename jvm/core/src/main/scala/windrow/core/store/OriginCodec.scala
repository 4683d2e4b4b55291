package windrow.core.store

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.operator.Origin
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec

private[core] object OriginCodec extends Codec[Option[Origin]] {
  def write(origin: Option[Origin], out: ByteWriter): Unit = {
    out.byte(if (origin.isDefined) 1 else 0)
    origin.foreach { from =>
      out.bytes(from.source.getBytes(UTF_8))
      out.long(from.partition)
      out.long(from.offset)
    }
  }

  def read(in: ByteReader): Option[Origin] =
    Option.when(in.byte() == 1)(Origin(new String(in.bytes(), UTF_8), in.long(), in.long()))
}
