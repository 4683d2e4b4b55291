package windrow.core.state

/** How a value stands in state. `read` gives back what `write` was given. */
trait Codec[T] {
  def write(value: T, out: ByteWriter): Unit
  def read(in: ByteReader): T
}

object Codec {

  /** Behind a byte that tells whether there is one. */
  private[core] def option[T](codec: Codec[T]): Codec[Option[T]] = new Codec[Option[T]] {
    def write(value: Option[T], out: ByteWriter): Unit = {
      out.byte(if (value.isDefined) 1 else 0)
      value.foreach(codec.write(_, out))
    }
    def read(in: ByteReader): Option[T] = Option.when(in.byte() == 1)(codec.read(in))
  }
}
