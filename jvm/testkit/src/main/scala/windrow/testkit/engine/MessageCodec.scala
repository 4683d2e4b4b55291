package windrow.testkit

import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** Messages as bytes, as a shard hands them back. */
private[testkit] object MessageCodec extends Codec[Message] {

  def bytes(message: Message): Array[Byte] = {
    val out = new ByteWriter
    write(message, out)
    out.result()
  }

  def write(message: Message, out: ByteWriter): Unit = {
    numbers(message).foreach { number =>
      out.byte(if (number.isDefined) 1 else 0)
      out.long(number.getOrElse(0L) ^ Long.MinValue) // so they compare as bytes
    }
    ScalarCodec.write(message.value, out)
    ScalarCodec.write(message.key, out)
  }

  private def numbers(message: Message): Seq[Option[Long]] =
    Seq(message.time, message.partition.map(_.toLong), message.offset, message.gap)

  def read(in: ByteReader): Message = {
    val numbers = Vector.fill(4) {
      val isThere = in.byte() == 1
      Option(in.long() ^ Long.MinValue).filter(_ => isThere)
    }
    val value = ScalarCodec.read(in)
    Message(ScalarCodec.read(in), numbers(0), value, numbers(1).map(_.toInt), numbers(2), numbers(3))
  }
}
