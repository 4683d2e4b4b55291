package windrow.core.store

import windrow.core.offsets.SourcePartitionCodec
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Writes and reads the source partition and offset of a message. */
private[windrow] object OriginCodec extends Codec[Origin] {
  val Optional: Codec[Option[Origin]] = Codec.option(this)

  def write(origin: Origin, out: ByteWriter): Unit = {
    SourcePartitionCodec.write(origin.partition, out)
    out.long(origin.offset)
  }

  def read(in: ByteReader): Origin = Origin(SourcePartitionCodec.read(in), in.long())
}
