package windrow.replay

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, Codec}
import windrow.replay.Value.{Null, Text, Whole}

/** Encodes messages of one key as bytes whose unsigned order is [[Message.Order]]. */
private[windrow] object MessageCodec extends Codec[Message] {

  def bytes(message: Message): Array[Byte] = {
    val out = new ByteWriter
    write(message, out)
    out.result()
  }

  def write(message: Message, out: ByteWriter): Unit = {
    Seq(message.time, message.partition.map(_.toLong), message.offset).foreach(number(_, out))
    message.value match {
      case Null => out.byte(0)
      case Whole(value) =>
        out.byte(1)
        number(Some(value), out)
      case Text(text) =>
        out.byte(2)
        text.getBytes(UTF_8).foreach(out.byte(_))
        out.byte(0)
    }
    number(message.gap, out)
    ScalarCodec.write(message.key, out)
  }

  private def number(value: Option[Long], out: ByteWriter): Unit = {
    out.byte(if (value.isDefined) 1 else 0)
    out.long(value.getOrElse(0L) ^ Long.MinValue)
  }

  def read(in: ByteReader): Message = {
    val (time, partition, offset) = (number(in), number(in), number(in))
    val value: Scalar = in.byte() match {
      case 0 => Null
      case 1 => Whole(number(in).get)
      case _ => Text(new String(Iterator.continually(in.byte()).takeWhile(_ != 0).toArray, UTF_8))
    }
    val gap = number(in)
    Message(ScalarCodec.read(in), time, value, partition.map(_.toInt), offset, gap)
  }

  private def number(in: ByteReader): Option[Long] = {
    val isThere = in.byte() == 1
    val value   = in.long() ^ Long.MinValue
    Option.when(isThere)(value)
  }
}
