package windrow.spark.pack

import java.util.Arrays
import windrow.ErrorConditions

/** A packet and its place among those of its shard in a step, as bytes that compare unsigned. */
object PlacedPacket {
  type Type = (Array[Byte], Array[Byte])

  /** The place of packets that have no order, and of those before all that have one. */
  val Anywhere: Array[Byte] = Array.emptyByteArray

  /** The packets of a shard, whose places must not fall: everything that is done with them relies on it. */
  def inOrder(placed: Iterator[Type], shard: Int): Iterator[Array[Byte]] = {
    var last = Anywhere
    placed.map { case (packet, place) =>
      if (Arrays.compareUnsigned(last, place) > 0)
        throw new IllegalStateException(
          ErrorConditions.message("ORDER_BROKEN", "shard" -> shard))
      last = place
      packet
    }
  }
}
