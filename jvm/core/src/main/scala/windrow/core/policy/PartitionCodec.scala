package windrow.core.policy

import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.Codec
import windrow.core.store.OriginCodec

private[policy] final class PartitionCodec[B](buffers: Codec[B]) extends Codec[Partition[Kept[B]]] {

  def write(partition: Partition[Kept[B]], out: ByteWriter): Unit = {
    out.count(partition.held.size.toLong)
    partition.held.foreach { held =>
      out.bytes(held.message.raw)
      buffers.write(held.message.buffer, out)
      OriginCodec.Optional.write(held.message.origin, out)
      out.long(java.lang.Double.doubleToLongBits(held.value))
      out.long(held.at)
    }
    Seq(
      partition.created,
      java.lang.Double.doubleToLongBits(partition.first),
      java.lang.Double.doubleToLongBits(partition.mark),
      partition.inserted,
      if (partition.isFull) 1L else 0L,
      partition.checked,
      partition.tumbled,
      partition.touched,
      partition.turn,
      partition.panes,
      partition.events).foreach(out.long)
    out.count(partition.state.size.toLong)
    partition.state.foreach(out.bytes)
  }

  def read(in: ByteReader): Partition[Kept[B]] = {
    val held = Vector.fill(in.size())(
      HeldMessage(
        Kept(in.bytes(), buffers.read(in), OriginCodec.Optional.read(in)),
        java.lang.Double.longBitsToDouble(in.long()),
        in.long()))
    Partition(
      held,
      in.long(),
      java.lang.Double.longBitsToDouble(in.long()),
      java.lang.Double.longBitsToDouble(in.long()),
      in.long(),
      in.long() == 1L,
      in.long(),
      in.long(),
      in.long(),
      in.long(),
      in.long(),
      in.long(),
      Vector.fill(in.size())(in.bytes()))
  }
}
