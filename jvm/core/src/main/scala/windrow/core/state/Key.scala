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

  override def hashCode: Int = hash
  override def equals(other: Any): Boolean = other match {
    case that: Key => hash == that.hash && Arrays.equals(bytes, that.bytes)
    case _         => false
  }
  override def toString: String = bytes.map(b => f"$b%02x").mkString
}

private object Key {
  private val Odd = 0x9e3779b97f4a7c15L

  private def hash(bytes: Array[Byte]): Int = {
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
    (hash ^ (hash >>> 32)).toInt
  }

  private def mixed(hash: Long): Long = {
    val spread = hash * Odd
    spread ^ (spread >>> 29)
  }
}
