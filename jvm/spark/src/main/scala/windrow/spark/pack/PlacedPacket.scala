package windrow.spark.pack

import java.util.Arrays
import windrow.ErrorConditions
import windrow.core.state.ByteWriter

/** A packet and its place among those of its shard in a step, as bytes that compare unsigned: that of its first message.
  *
  * What is in a packet that has a place: of each message its place and its entry, both behind their lengths. A packet without
  * one, of messages in no order or of something else, is what it is.
  */
object PlacedPacket {
  type Type = (Array[Byte], Array[Byte])

  /** The place of packets that have no order, and of those before all that have one. */
  val Anywhere: Array[Byte] = Array.emptyByteArray

  /** Adds a message that stands in `[from, until)` of others. */
  private[pack] def put(packet: ByteWriter, place: Array[Byte], of: ByteWriter, from: Int, until: Int): Unit = {
    packet.bytes(place)
    packet.count((until - from).toLong)
    of.copyTo(packet, from, until)
  }

  /** The packets of a shard without places, their messages in order. Places must not fall: everything that is done with
    * messages relies on it.
    */
  def inOrder(placed: Iterator[Type], shard: Int): Iterator[Array[Byte]] = {
    val packets = checked(placed, shard).buffered
    def notices = Iterator.continually(packets).takeWhile(all => all.hasNext && all.head._2.isEmpty).map(_.next()._1)
    notices ++ new PacketMerge(packets, () => throw broken(shard))
  }

  private def checked(placed: Iterator[Type], shard: Int): Iterator[Type] = {
    var last = Anywhere
    placed.map { packet =>
      if (Arrays.compareUnsigned(last, packet._2) > 0) throw broken(shard)
      last = packet._2
      packet
    }
  }

  private def broken(shard: Int) = new IllegalStateException(ErrorConditions.message("ORDER_BROKEN", "shard" -> shard))
}
