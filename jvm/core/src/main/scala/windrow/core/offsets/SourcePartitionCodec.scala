package windrow.core.offsets

import java.nio.charset.StandardCharsets.UTF_8
import windrow.SourcePartition
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Writes and reads a source partition as its source and number. */
private[windrow] object SourcePartitionCodec extends Codec[SourcePartition] {
  def write(partition: SourcePartition, out: ByteWriter): Unit = {
    out.bytes(partition.source.getBytes(UTF_8))
    out.long(partition.number)
  }

  def read(in: ByteReader): SourcePartition = SourcePartition(new String(in.bytes(), UTF_8), in.long())
}
