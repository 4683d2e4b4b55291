package windrow.core.state

/** How a value stands in state. `read` gives back what `write` was given. */
trait Codec[T] {
  def write(value: T, out: ByteWriter): Unit
  def read(in: ByteReader): T
}
