package windrow.spark.pack

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
    packet.bytes(of.array, from, until - from)
  }
}
