package windrow.core.state

import java.nio.ByteBuffer

/** Reads what [[ByteWriter]] wrote. */
final class ByteReader private (val array: Array[Byte], private var at: Int, end: Int) {
  private val buffer = ByteBuffer.wrap(array)

  def hasNext: Boolean = at < end

  def byte(): Byte = { at += 1; array(at - 1) }
  def long(): Long = { at += 8; buffer.getLong(at - 8) }

  def count(): Long = {
    var shift  = 0
    var result = 0L
    var part   = byte()
    while (part < 0) {
      result |= (part & 0x7fL) << shift
      shift += 7
      part = byte()
    }
    result | (part.toLong << shift)
  }

  def bytes(): Array[Byte] = {
    val start = skipBytes()
    java.util.Arrays.copyOfRange(array, start, at)
  }

  /** Steps over a byte string and gives the place where it starts in `array`; [[position]] is then its end. */
  def skipBytes(): Int = {
    val length = count().toInt
    at += length
    at - length
  }

  def position: Int = at
}

object ByteReader {
  def apply(bytes: Array[Byte]): ByteReader = new ByteReader(bytes, 0, bytes.length)

  /** Opens a stored state value, after checking its version and checksum. */
  def unsealed(bytes: Array[Byte], what: => String): ByteReader = {
    val length = bytes.length - 4
    if (length < 1 || ByteBuffer.wrap(bytes).getInt(length) != ByteWriter.checksum(bytes, length))
      throw new DamagedStateError(s"[STATE_DAMAGED] $what: the checksum of its ${bytes.length} bytes is wrong.")
    if (bytes(0) != ByteWriter.Version)
      throw new DamagedStateError(
        s"[STATE_VERSION] $what has format ${bytes(0)}; this version of windrow reads format ${ByteWriter.Version}.")
    new ByteReader(bytes, 1, length)
  }
}

/** Stored state that cannot be trusted. */
final class DamagedStateError(message: String) extends IllegalStateException(message)
