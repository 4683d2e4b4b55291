package windrow.core.state

import java.nio.ByteBuffer
import java.util.Arrays
import java.util.zip.CRC32C
import windrow.ErrorConditions

/** A growing buffer that state is written to: numbers are big-endian, lengths are variable-length integers. */
final class ByteWriter(initial: Int = 256) {
  private var written = new Array[Byte](initial)
  private var end     = 0

  def size: Int = end

  /** Holds the bytes written, from index 0 up to [[size]]; valid until the next write. */
  private[windrow] def array: Array[Byte] = written

  /** Reserves some bytes and returns their index in [[array]]. Their contents are undefined. */
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

  /** Writes a number that is never negative; small ones take one byte. */
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

  /** Appends bytes without their length. */
  def append(value: Array[Byte]): Unit = append(value, 0, value.length)

  def append(value: Array[Byte], offset: Int, length: Int): Unit = {
    val at = space(length)
    System.arraycopy(value, offset, written, at, length)
  }

  def clear(): Unit = end = 0

  /** Discards everything after the first `size` bytes. */
  private[state] def cutTo(size: Int): Unit = end = size

  def result(): Array[Byte] = Arrays.copyOf(written, end)

  /** The content, preceded by the version byte and followed by a checksum: the form of every stored state value. */
  def sealedResult(): Array[Byte] = {
    val out = new Array[Byte](size + ByteWriter.Frame)
    out(0) = ByteWriter.Version
    System.arraycopy(written, 0, out, 1, size)
    ByteBuffer.wrap(out).putInt(size + 1, ByteWriter.checksum(out, size + 1))
    out
  }
}

object ByteWriter {

  /** Version of the format of all stored state (docs/project/state-format.md). It changes if an older reader would
    * misread the new format.
    */
  private[windrow] val Version: Byte = 1
  private[state] val Frame           = 5

  /** Largest content of an array, including its frame. */
  private val Most = Int.MaxValue - 64L

  /** A writer of a thread that nothing uses, or null. */
  private final class SpareWriter {
    var writer: ByteWriter = _
  }

  private val spares = ThreadLocal.withInitial[SpareWriter](() => new SpareWriter)

  /** Larger buffers are not kept for reuse. */
  private val MostSpare = 1 << 20

  /** Lends an empty writer that keeps its capacity from earlier uses by this thread, because growing copies the
    * content.
    */
  private[core] def lent[A](use: ByteWriter => A): A = {
    val spare = spares.get
    val out   = if (spare.writer == null) new ByteWriter(8192) else spare.writer
    spare.writer = null // a nested use gets a writer of its own
    val result = use(out)
    out.clear()
    if (out.written.length <= MostSpare) spare.writer = out
    result
  }

  private[state] def checksum(bytes: Array[Byte], length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, length)
    crc.getValue.toInt
  }
}
