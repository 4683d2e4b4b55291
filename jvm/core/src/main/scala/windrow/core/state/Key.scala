package windrow.core.state

import java.util.Arrays

/** A key of messages, in the form in which its engine writes it. */
final class Key(val bytes: Array[Byte]) extends Serializable {
  private val hash = Arrays.hashCode(bytes)

  override def hashCode: Int = hash
  override def equals(other: Any): Boolean = other match {
    case that: Key => hash == that.hash && Arrays.equals(bytes, that.bytes)
    case _         => false
  }
  override def toString: String = bytes.map(b => f"$b%02x").mkString
}
