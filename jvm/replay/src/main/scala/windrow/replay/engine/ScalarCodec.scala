package windrow.replay

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Encodes keys and values of messages as bytes for the state. */
private[windrow] object ScalarCodec extends Codec[Scalar] {

  def write(scalar: Scalar, out: ByteWriter): Unit = scalar match {
    case Value.Null => out.byte(0)
    case Value.Whole(number) =>
      out.byte(1)
      out.long(number)
    case Value.Text(text) =>
      out.byte(2)
      out.bytes(text.getBytes(UTF_8))
  }

  def read(in: ByteReader): Scalar = in.byte() match {
    case 0 => Value.Null
    case 1 => Value.Whole(in.long())
    case _ => Value.Text(new String(in.bytes(), UTF_8))
  }
}
