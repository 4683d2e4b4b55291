package windrow.spark.packet

/** Bits of the first byte of everything in a packet. They list the fields of an entry, or identify something else. */
private[spark] object PacketFlag {
  val Time     = 1
  val Raw      = 2
  val Sender   = 4
  val Order    = 8
  val Progress = 16
  val More     = 32
  val End      = 64
  val Question = 128

  /** Marks the end of the input, in a packet of its own. */
  val TheEnd: Array[Byte] = Array(End.toByte)

  /** An empty packet, which calls a shard even if it receives no rows. */
  val Call: Array[Byte] = Array.emptyByteArray

  def isCall(packet: Array[Byte]): Boolean = packet.isEmpty

  def isEnd(packet: Array[Byte]): Boolean = (packet(0) & End) != 0
}
