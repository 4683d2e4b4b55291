package windrow.core.state

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

/** A key of messages, as bytes written by the engine that runs the shard. */
final class Key(val bytes: Array[Byte]) extends Serializable {
  private val hash = Key.hash(bytes)

  /** The hash by which stored state finds keys; its definition can never change. It maps dozens of numbers that differ
    * only in two bytes to one value, so maps in memory use `hashCode` instead.
    */
  private[state] def storedHash: Int = {
    if (stored == 0) stored = Arrays.hashCode(bytes)
    stored
  }

  private var stored = 0 // 0 if not computed yet; a lazy val would lock for each key

  /** A hash of 64 bits by which stored values are sorted; its definition can never change. */
  private[core] def spread: Long = Key.spread(bytes)

  override def hashCode: Int = hash
  override def equals(other: Any): Boolean = other match {
    case that: Key => hash == that.hash && Arrays.equals(bytes, that.bytes)
    case _         => false
  }
  override def toString: String = bytes.map(b => f"$b%02x").mkString
}

private object Key {
  private val Odd = 0x9e3779b97f4a7c15L

  /** A hash whose low bits, by which a map finds its slot, depend on all bytes. Those of `spread` hardly depend on the
    * last bytes of a number or a text whose length is a multiple of 8.
    */
  private def hash(bytes: Array[Byte]): Int = ((spread(bytes) * Odd) >>> 32).toInt

  private def spread(bytes: Array[Byte]): Long = {
    val longs = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val whole = bytes.length & ~7
    var hash  = bytes.length.toLong
    var at    = 0
    while (at < whole) {
      hash = mixed(hash ^ longs.getLong(at))
      at += 8
    }
    while (at < bytes.length) {
      hash = mixed(hash ^ bytes(at).toLong)
      at += 1
    }
    hash
  }

  private def mixed(hash: Long): Long = {
    val spread = hash * Odd
    spread ^ (spread >>> 29)
  }
}
