package windrow.core.state

import java.nio.ByteBuffer
import java.util.Arrays
import java.util.zip.CRC32C
import windrow.ErrorConditions

/** A growing buffer in which state is written: big-endian numbers, lengths as variable-length integers. */
final class ByteWriter(initial: Int = 256) {
  private var written = new Array[Byte](initial)
  private var end     = 0

  def size: Int = end

  /** Holds what was written, from its beginning up to [[size]], until more is written. */
  private[windrow] def array: Array[Byte] = written

  /** Makes room for some bytes and gives the place in [[array]] where they stand, with anything in them. */
  private[windrow] def space(length: Int): Int = {
    val start = end
    if (written.length - start < length) grow(start.toLong + length)
    end = start + length
    start
  }

  private def grow(needed: Long): Unit = {
    if (needed > ByteWriter.Most)
      throw new IllegalStateException(ErrorConditions.message("STATE_TOO_LARGE", "count" -> needed))
    written = Arrays.copyOf(written, math.max(math.min(written.length * 2L, ByteWriter.Most), needed).toInt)
  }

  def byte(value: Int): Unit = {
    val at = space(1)
    written(at) = value.toByte
  }

  def long(value: Long): Unit = {
    val at = space(8)
    ByteBuffer.wrap(written).putLong(at, value)
    ()
  }

  /** A number that is never negative; small ones take one byte. */
  def count(value: Long): Unit =
    if ((value & ~0x7fL) == 0) byte(value.toInt)
    else {
      var rest = value
      while ((rest & ~0x7fL) != 0) {
        byte(((rest & 0x7f) | 0x80).toInt)
        rest >>>= 7
      }
      byte(rest.toInt)
    }

  def bytes(value: Array[Byte]): Unit = bytes(value, 0, value.length)

  def bytes(value: Array[Byte], offset: Int, length: Int): Unit = {
    count(length.toLong)
    append(value, offset, length)
  }

  /** As they are, without their length. */
  def append(value: Array[Byte]): Unit = append(value, 0, value.length)

  def append(value: Array[Byte], offset: Int, length: Int): Unit = {
    val at = space(length)
    System.arraycopy(value, offset, written, at, length)
  }

  def clear(): Unit = end = 0

  /** Takes back what stands behind so many bytes. */
  private[state] def cutTo(size: Int): Unit = end = size

  def result(): Array[Byte] = Arrays.copyOf(written, end)

  /** The content behind its version byte and before its checksum: how every state value is stored. */
  def sealedResult(): Array[Byte] = {
    val out = new Array[Byte](size + ByteWriter.Frame)
    out(0) = ByteWriter.Version
    System.arraycopy(written, 0, out, 1, size)
    ByteBuffer.wrap(out).putInt(size + 1, ByteWriter.checksum(out, size + 1))
    out
  }
}

object ByteWriter {

  /** Of the format of all that is stored (docs/state-format.md): another one if an older reader would read it wrong. */
  private[windrow] val Version: Byte = 1
  private[state] val Frame           = 5

  /** An array has no room for more, with its frame. */
  private val Most = Int.MaxValue - 64L

  private val spare = new ThreadLocal[ByteWriter]

  /** More is not kept between two uses. */
  private val MostSpare = 1 << 20

  /** Lends an empty writer whose room has grown with what this thread wrote before: growing copies all that is there. */
  private[core] def lent[A](use: ByteWriter => A): A = {
    val out = Option(spare.get).getOrElse(new ByteWriter(8192))
    spare.remove() // a use inside this one has another
    val result = use(out)
    out.clear()
    if (out.written.length <= MostSpare) spare.set(out)
    result
  }

  private[state] def checksum(bytes: Array[Byte], length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, length)
    crc.getValue.toInt
  }
}
