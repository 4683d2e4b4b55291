package windrow.core.aggregate

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec

/** What is done for buffers that keep their messages. The buffer of a slice or of a session owns what it has put apart;
  * others made of it may read that for as long as the owner is there.
  */
private[windrow] trait Keeping[B] { self =>

  /** How many messages a buffer keeps. */
  def messages(buffer: B): Long

  /** Puts most of a buffer into pieces, if that is much, before its owner is written. */
  def putApart(buffer: B): Unit

  /** Its owner goes, and with it what was put apart. */
  def release(buffer: B): Unit

  final def of[C](inner: C => B): Keeping[C] = new Keeping[C] {
    def messages(buffer: C): Long = self.messages(inner(buffer))
    def putApart(buffer: C): Unit = self.putApart(inner(buffer))
    def release(buffer: C): Unit  = self.release(inner(buffer))
  }
}

/** How buffers stand in state that own what they keep. */
private[core] final class OwnedCodec[B](aggregation: Aggregation[B, _]) extends Codec[B] {
  def write(buffer: B, out: ByteWriter): Unit = {
    aggregation.keeping.foreach(_.putApart(buffer))
    aggregation.write(buffer, out)
  }

  def read(in: ByteReader): B = aggregation.read(in)
}
