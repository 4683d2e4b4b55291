package windrow.operators

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.operator.Origin
import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** The messages of the operators in these tests. */
final case class Event(stream: String, key: String, time: Long, value: Long, offset: Long)

object Event extends MessageFormat[String, Event] {
  def key(event: Event): String                     = event.key
  def time(event: Event): Option[Long]              = Some(event.time)
  override def origin(event: Event): Option[Origin] = Some(Origin(event.stream, 0, event.offset))

  object keys extends Codec[String] {
    def write(key: String, out: ByteWriter): Unit = out.bytes(Option(key).fold("")("=" + _).getBytes(UTF_8))
    def read(in: ByteReader): String = {
      val text = new String(in.bytes(), UTF_8)
      if (text.isEmpty) null else text.drop(1)
    }
  }

  object messages extends Codec[Event] {
    def write(event: Event, out: ByteWriter): Unit = {
      out.bytes(event.stream.getBytes(UTF_8))
      keys.write(event.key, out)
      Seq(event.time, event.value, event.offset).foreach(out.long)
    }
    def read(in: ByteReader): Event =
      Event(new String(in.bytes(), UTF_8), keys.read(in), in.long(), in.long(), in.long())
  }
}
