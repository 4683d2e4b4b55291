package windrow.spark.packet

import windrow.core.state.ByteWriter

/** A packet with its place among the packets of its shard in a step. The place is that of its first row, as bytes that
  * compare as unsigned.
  *
  * A packet with a place contains the place and the entry of each row, both preceded by their length. A packet without
  * a place contains rows without an order, or something else, without further structure.
  */
object PlacedPacket {
  type Type = (Array[Byte], Array[Byte])

  /** The place of packets without an order, and of packets that precede all packets with an order. */
  val Anywhere: Array[Byte] = Array.emptyByteArray

  /** Adds a row that occupies `[from, until)` of `of`. */
  private[packet] def put(packet: ByteWriter, place: Array[Byte], of: ByteWriter, from: Int, until: Int): Unit = {
    packet.bytes(place)
    packet.bytes(of.array, from, until - from)
  }
}
