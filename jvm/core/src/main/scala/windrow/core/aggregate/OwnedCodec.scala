package windrow.core.aggregate

import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** The codec of buffers that own their messages. */
private[core] final class OwnedCodec[B](aggregation: Aggregation[B, _]) extends Codec[B] {
  def write(buffer: B, out: ByteWriter): Unit = {
    aggregation.storage.foreach(_.putApart(buffer))
    aggregation.write(buffer, out)
  }

  def read(in: ByteReader): B = aggregation.read(in)
}
