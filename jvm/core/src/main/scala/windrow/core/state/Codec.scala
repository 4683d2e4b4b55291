package windrow.core.state

/** Encodes values as bytes of the state. `read` returns a value equal to the one passed to `write`. */
trait Codec[T] {
  def write(value: T, out: ByteWriter): Unit
  def read(in: ByteReader): T
}

object Codec {

  /** Writes a byte that distinguishes `Some` from `None`, then the value if it exists. */
  private[core] def option[T](codec: Codec[T]): Codec[Option[T]] = new Codec[Option[T]] {
    def write(value: Option[T], out: ByteWriter): Unit = {
      out.byte(if (value.isDefined) 1 else 0)
      value.foreach(codec.write(_, out))
    }
    def read(in: ByteReader): Option[T] = Option.when(in.byte() == 1)(codec.read(in))
  }
}
