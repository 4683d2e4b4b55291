package windrow.core.state

import java.nio.ByteBuffer
import java.util.zip.CRC32C

/** A growing buffer in which state is written: big-endian numbers, lengths as variable-length integers. */
final class ByteWriter(initial: Int = 256) {
  private var buffer = ByteBuffer.allocate(initial)

  def size: Int = buffer.position()

  private def room(bytes: Int): ByteBuffer = {
    if (buffer.remaining < bytes) {
      val grown = ByteBuffer.allocate(math.max(buffer.capacity * 2, size + bytes))
      buffer.flip()
      grown.put(buffer)
      buffer = grown
    }
    buffer
  }

  def byte(value: Int): Unit  = { room(1).put(value.toByte); () }
  def long(value: Long): Unit = { room(8).putLong(value); () }

  /** A number that is never negative; small ones take one byte. */
  def count(value: Long): Unit = {
    val target = room(10)
    var rest   = value
    while ((rest & ~0x7fL) != 0) {
      target.put(((rest & 0x7f) | 0x80).toByte)
      rest >>>= 7
    }
    target.put(rest.toByte)
    ()
  }

  def bytes(value: Array[Byte]): Unit = bytes(value, 0, value.length)

  def bytes(value: Array[Byte], offset: Int, length: Int): Unit = {
    count(length.toLong)
    room(length).put(value, offset, length)
    ()
  }

  /** As they are, without their length. */
  def append(value: Array[Byte]): Unit = append(value, 0, value.length)

  def append(value: Array[Byte], offset: Int, length: Int): Unit = { room(length).put(value, offset, length); () }

  /** Adds what stands in `[from, until)` to another one. */
  def copyTo(other: ByteWriter, from: Int, until: Int): Unit = other.append(buffer.array, from, until - from)

  def clear(): Unit = { buffer.clear(); () }

  def result(): Array[Byte] = java.util.Arrays.copyOf(buffer.array, size)

  /** The content behind its version byte and before its checksum: how every state value is stored. */
  def sealedResult(): Array[Byte] = {
    val out = new Array[Byte](size + ByteWriter.Frame)
    out(0) = ByteWriter.Version
    System.arraycopy(buffer.array, 0, out, 1, size)
    ByteBuffer.wrap(out).putInt(size + 1, ByteWriter.checksum(out, size + 1))
    out
  }
}

object ByteWriter {

  /** Of the format of all that is stored (docs/state-format.md): another one if an older reader would read it wrong. */
  private[windrow] val Version: Byte = 1
  private[state] val Frame           = 5

  private val spare = new ThreadLocal[ByteWriter]

  /** More is not kept between two uses. */
  private val MostSpare = 1 << 20

  /** Lends an empty writer whose room has grown with what this thread wrote before: growing copies all that is there. */
  private[core] def lent[A](use: ByteWriter => A): A = {
    val out = Option(spare.get).getOrElse(new ByteWriter(8192))
    spare.remove() // a use inside this one has another
    val result = use(out)
    out.clear()
    if (out.buffer.capacity <= MostSpare) spare.set(out)
    result
  }

  private[state] def checksum(bytes: Array[Byte], length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, length)
    crc.getValue.toInt
  }
}
