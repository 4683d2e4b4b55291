package windrow.core.state

import java.nio.ByteBuffer
import scala.util.control.NonFatal
import windrow.{CheckpointError, ErrorConditions}

/** Reads bytes written by [[ByteWriter]]. Bytes that cannot be its output fail with an error that names `what`, before
  * any memory is allocated for them.
  *
  * @param what
  *   name of the value being read, for errors
  */
final class ByteReader private (val array: Array[Byte], private var at: Int, end: Int, what: => String) {
  private val buffer = ByteBuffer.wrap(array)

  def hasNext: Boolean = at < end

  /** Number of unread bytes. */
  def left: Int = end - at

  private def take(bytes: Int): Int = {
    if (bytes < 0 || bytes > end - at) throw damaged(s"it ends within the value that starts at byte $at")
    val start = at
    at += bytes
    start
  }

  def byte(): Byte = array(take(1))
  def long(): Long = buffer.getLong(take(8))

  def count(): Long =
    if (at < end && array(at) >= 0) {
      at += 1
      array(at - 1).toLong
    } else longer()

  private def longer(): Long = {
    var shift  = 0
    var result = 0L
    var part   = byte()
    while (part < 0) {
      if (shift == 63) throw damaged(s"the number before byte $at does not end")
      result |= (part & 0x7fL) << shift
      shift += 7
      part = byte()
    }
    result | (part.toLong << shift)
  }

  /** Reads the number of elements that follow, each of at least one byte. */
  def size(): Int = fitting(count())

  /** Checks that this many elements can follow, each of at least one byte, and returns the number. */
  def fitting(size: Long): Int = {
    if (size < 0 || size > end - at) throw damaged(s"$size elements do not fit after byte $at")
    size.toInt
  }

  def bytes(): Array[Byte] = {
    val start = skipBytes()
    java.util.Arrays.copyOfRange(array, start, at)
  }

  /** Skips a byte string and returns the index in `array` at which it starts; [[position]] is then its end. */
  def skipBytes(): Int = take(size())

  def position: Int = at

  /** The error for a value that cannot have been written in this form. */
  def damaged(why: String): DamagedStateError =
    new DamagedStateError(ErrorConditions.message("STATE_DAMAGED.VALUE", "what" -> what, "why" -> why))

  /** Decodes with a codec whose exceptions for unknown input become errors of damaged state. */
  def decode[T](code: ByteReader => T): T =
    try code(this)
    catch {
      case named: DamagedStateError => throw named
      case wrong: CheckpointError   => throw wrong
      case NonFatal(wrong)          => throw damaged(s"the bytes before byte $at are not a value ($wrong)")
    }
}

object ByteReader {
  def apply(bytes: Array[Byte], what: => String = "a packet"): ByteReader =
    new ByteReader(bytes, 0, bytes.length, what)

  /** A reader of a packet that is part of an array. */
  def part(bytes: Array[Byte], from: Int, length: Int): ByteReader =
    new ByteReader(bytes, from, from + length, "a packet")

  /** Opens a stored state value after checking its checksum and version.
    *
    * @throws DamagedStateError
    *   if it differs from the value written
    * @throws windrow.CheckpointError
    *   if it has another format version
    */
  def unsealed(bytes: Array[Byte], what: => String): ByteReader = {
    val length = bytes.length - 4
    if (length < 1 || ByteBuffer.wrap(bytes).getInt(length) != ByteWriter.checksum(bytes, length))
      throw new DamagedStateError(ErrorConditions.message(
        "STATE_DAMAGED.CHECKSUM",
        "what"  -> what,
        "count" -> bytes.length))
    if (bytes(0) != ByteWriter.Version)
      throw new CheckpointError(
        ErrorConditions.message(
          "STATE_VERSION.VALUE",
          "what"  -> what,
          "found" -> bytes(0),
          "known" -> ByteWriter.Version))
    new ByteReader(bytes, 1, length, what)
  }
}

/** The stored state is damaged and cannot be used. */
final class DamagedStateError(message: String) extends IllegalStateException(message)
