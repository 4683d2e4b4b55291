package windrow.core.policy

import windrow.core.state.{ByteReader, ByteWriter, Codec, Segments}

/** Writes and reads a partition.
  *
  * @param pages
  *   store of messages that are not stored inside their partition
  */
private[policy] final class PartitionCodec[B](paged: HeldLayout[B], pages: Segments, pageBytes: Int)
    extends Codec[Partition[B]] {

  def nothing: HeldMessages[B] = new HeldMessages(paged, pages, pageBytes)

  def write(partition: Partition[B], out: ByteWriter): Unit = {
    partition.held.write(out)
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

  def read(in: ByteReader): Partition[B] = {
    val held = nothing
    held.read(in)
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
