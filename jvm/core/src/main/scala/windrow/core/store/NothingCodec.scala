package windrow.core.store

import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** The codec of stored keys without a value. */
private[core] object NothingCodec extends Codec[Unit] {
  def write(value: Unit, out: ByteWriter): Unit = ()
  def read(in: ByteReader): Unit                = ()
}
